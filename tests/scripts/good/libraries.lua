-- luacheck: ignore
-- What scripts have and what they have not; a failed assert is a finding.
local tweed = require "tweed"

local function refused(pattern, run, ...)
  local fine, message = pcall(run, ...)
  assert(not fine, "expected an error like " .. pattern)
  assert(message:find(pattern, 1, true), message)
end

for _, name in ipairs { "io", "os", "debug", "package", "dofile", "loadfile", "collectgarbage", "warn" } do
  refused('no global "' .. name .. '"', function() return _G[name] end)
end
refused('no "dump" in string', function() return string["dump"] end)
refused('no "randomseed" in math', function() return math["randomseed"] end)
refused('no "create" in coroutine', function() return coroutine["create"] end)
refused('no "elipsoid" in tweed; did you mean "ellipsoid"?', function() return tweed["elipsoid"] end)
refused("cannot be assigned", function() _G.anything = 1 end)
refused("cannot be assigned", function() string.anything = string.rep end)
assert(getmetatable("") == "sealed")
assert(getmetatable(_G) == "sealed")
refused("cannot change a protected metatable", setmetatable, _G, {})

refused('(expected "error", "warning", "info" or "debug", found "inof")', tweed.log, "inof", "text")

-- text chunks only, in the same sealed environment
assert(load("return 1 + 1")() == 2)
assert(load("return x", "chunk", "bt", { x = 5 })() == 5)
local chunk, message = load("\27Lua")
assert(not chunk and message:find("binary chunk", 1, true))
refused("cannot be assigned", load("y = 5"))

-- what is left of the libraries works
assert(("tweed"):upper() == "TWEED" and string.format("%d", 3) == "3")
assert(table.concat({ 1, 2, 3 }, "-") == "1-2-3" and select("#", table.unpack({ 1, 2 })) == 2)
assert(math.floor(2.5) == 2 and math.pi > 3.14 and utf8.len("é") == 1)
local generate = coroutine.wrap(function() coroutine.yield(1) coroutine.yield(2) end)
assert(generate() == 1 and generate() == 2)

-- random numbers: their range, and the same functions under both names
for _ = 1, 1000 do
  local fraction, die, wide = tweed.random(), tweed.random(6), math.random(-3, 3)
  assert(fraction >= 0 and fraction < 1)
  assert(die >= 1 and die <= 6 and math.type(die) == "integer")
  assert(wide >= -3 and wide <= 3)
end
assert(math.type(tweed.random(math.mininteger, math.maxinteger)) == "integer")
refused("interval is empty", tweed.random, 0)

-- modules
assert(require "tweed" == tweed and _G.tweed == tweed)
assert(require("helpers.module") == require("helpers.module"))
refused('no module "helpers.none"', require, "helpers.none")

local fine, reason = tweed.has_asset("no/such.bvh")
assert(fine == false and type(reason) == "string")
refused("only in a coroutine", tweed.wait, 1)

return tweed.scene {}
