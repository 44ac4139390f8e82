-- Arithmetic of vectors {x, y, z} and of numbers, for rigs and garments.

local vector = {}

function vector.add(a, b) return { a[1] + b[1], a[2] + b[2], a[3] + b[3] } end

function vector.subtract(a, b) return { a[1] - b[1], a[2] - b[2], a[3] - b[3] } end

function vector.scale(a, factor) return { a[1] * factor, a[2] * factor, a[3] * factor } end

function vector.mix(a, b, share) return vector.add(vector.scale(a, 1 - share), vector.scale(b, share)) end

function vector.dot(a, b) return a[1] * b[1] + a[2] * b[2] + a[3] * b[3] end

function vector.cross(a, b)
  return { a[2] * b[3] - a[3] * b[2], a[3] * b[1] - a[1] * b[3], a[1] * b[2] - a[2] * b[1] }
end

function vector.length(a) return math.sqrt(vector.dot(a, a)) end

function vector.unit(a) return vector.scale(a, 1 / vector.length(a)) end

-- 0 up to one number and 1 from another one on, without a corner between.
function vector.smoothstep(from, to, x)
  local t = math.max(0, math.min(1, (x - from) / (to - from)))
  return t * t * (3 - 2 * t)
end

-- The value at x in a list of { x, value }, x ascending; beyond its ends the value there.
function vector.interpolate(list, x)
  if x <= list[1][1] then return list[1][2] end
  for i = 2, #list do
    local low, high = list[i - 1], list[i]
    if x <= high[1] then return low[2] + (high[2] - low[2]) * (x - low[1]) / (high[1] - low[1]) end
  end
  return list[#list][2]
end

return vector
