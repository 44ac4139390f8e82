-- Refuses options that a helper does not read, which are typing errors: they would do nothing.
--
--   check_options(options, "body", "speed")

return function(options, ...)
  local known = table.concat({ ... }, " ")
  for key in pairs(options) do
    if not (" " .. known .. " "):find(" " .. tostring(key) .. " ", 1, true) then
      error(("unknown option \"%s\"; known are %s"):format(tostring(key), known:gsub(" ", ", ")), 0)
    end
  end
end
