-- Arithmetic of vectors {x, y, z}, for rigs and garments.

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

return vector
