-- Reads the options of a helper. One that it does not know is a typing error: it would do nothing.
--
--   local all = read_options(options, { "body", { "speed", 1.4, .4, 2.2, "m/s" } }) -- { key, default, from, to, unit }
--
-- With `others`, options that are not in the list are collected and returned behind.

local tweed = require "tweed"

local function describe(value)
  if type(value) == "number" then return ("%.7g"):format(value) end
  if type(value) == "string" then return ('the string "%s"'):format(value) end
  return "a " .. type(value)
end

local function check_range(key, value, from, to, unit)
  if type(value) == "number" and value >= from and value <= to then return end
  error(("%s: expected a number of %.7g to %.7g%s, found %s")
    :format(key, from, to, unit and " " .. unit or "", describe(value)), 0)
end

return function(options, fields, others)
  local all, rest, names, is_known = {}, {}, {}, {}
  options = options or {}
  if type(options) ~= "table" then error("expected a table of options, found " .. describe(options), 0) end
  for i, field in ipairs(fields) do
    local key, default, from, to, unit = table.unpack(type(field) == "table" and field or { field })
    names[i], is_known[key] = key, true
    all[key] = options[key]
    if all[key] == nil then all[key] = default end
    if from then check_range(key, all[key], from, to, unit) end
  end
  for key, value in pairs(options) do
    if not is_known[key] then
      local near = tweed.nearest(tostring(key), names)
      if near then error(('unknown option "%s"; did you mean "%s"?'):format(key, near), 0) end
      if not others then
        error(('unknown option "%s"; known are %s'):format(tostring(key), table.concat(names, ", ")), 0)
      end
      rest[key] = value
    end
  end
  return all, rest
end
