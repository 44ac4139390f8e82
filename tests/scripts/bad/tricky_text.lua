local tweed = require "tweed"
local body = require "helpers.body"
--[==[ return tweed.character {
  garments = { "not this one" },
]==]
local function decoy()
  if body then return tweed.character { garments = {} } end
  repeat local x = 1 until x == 1
  for _ = 1, 2 do while false do end end
  return function() return { fabric = "nor this" } end
end
local text = [[
  garments = { fabric = "in a string" } ]] .. "\"}, {" .. '\'{'

return (tweed.character)({
  ["skeleton"] = body.skeleton(); -- semicolons part fields, too
  on_tick = function(self) local t = { garments = { text, decoy } } return t end,
  garments = {
    body.cape { name = 'a', fabric = "twed", max_distance = { top = 0; bottom = 20 } },
    [2] = body.cape {
      ["name"] = "b",
      rows = 0x3 == 3 and 1 or 2, columns = 1e-1,
    },
  },
})
