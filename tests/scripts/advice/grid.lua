local tweed = require "tweed"

-- Points of rows and columns, row by row, or column by column.
local function points(rows, columns, place, by_column)
  local list = {}
  for i = 0, rows * columns - 1 do
    local row, column = i // columns, i % columns
    if by_column then row, column = i % rows, i // rows end
    list[i + 1] = place(row, column)
  end
  return list
end
local function sheet(row, column) return { .2 - column * .1, 1.4 - row * .1, -.2 } end
local function low(row, column) return { .2 - column * .1, -row * .1, -.2 } end
local function upward(row, column) return { .2 - column * .1, 1.2 + row * .1, -.2 } end
local function ring(direction)
  return function(row, column)
    local angle = direction * column / 12 * 2 * math.pi
    return { .2 * math.sin(angle), 1.4 - row * .1, .2 * math.cos(angle) }
  end
end
local function cape(options)
  options.name, options.fabric, options.attach = "cape" .. options[1], "silk", "Chest"
  options[1] = nil
  return tweed.cloth(options)
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "Hips", position = { 0, .9, 0 } },
    { name = "Chest", parent = "Hips", position = { 0, .5, 0 }, rotation = { 0, 1, 0, 0 } },
  },
  garments = {
    tweed.chain { name = "tail", bone = "Chest", fabric = "silk", points = { { 0, 1.4, .1 }, { 0, 1.2, .1 } } },
    tweed.pendulum { name = "hood", bone = "Chest", fabric = "silk", rest = { 0, 1.3, .1 } },
    cape { 1, rows = 3, columns = 5, positions = points(3, 5, low) },
    cape { 2, rows = 3, columns = 12, positions = points(3, 12, ring(-1)), closed = true },
    cape { 3, rows = 3, columns = 5, positions = points(3, 5, upward) },
    cape { 4, rows = 9, columns = 3, positions = points(3, 9, sheet) },
    cape { 5, rows = 3, columns = 9, positions = points(3, 9, sheet, true) },
    cape { 6, rows = 3, columns = 5, positions = points(3, 5, sheet), max_distance = { top = 0, bottom = 0 } },
    -- None of these has a fault.
    tweed.chain { name = "rope", bone = "Chest", fabric = "silk", points = { { 0, 0, .1 }, { 0, -.2, .1 } } },
    tweed.pendulum { name = "bell", bone = "Chest", fabric = "silk", rest = { 0, -.6, 0 } },
    cape { 7, rows = 3, columns = 12, positions = points(3, 12, ring(1)), closed = true },
    cape { 8, rows = 3, columns = 11, positions = points(3, 11, ring(1)) },
    cape { 9, rows = 3, columns = 3, positions = points(3, 3, sheet), max_distance = { 0, 0, 0, 0, 0, 0, 0, 0, .1 } },
  },
}
