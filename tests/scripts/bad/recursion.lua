local function down(depth)
  return 1 + down(depth + 1)
end

return down(1)
