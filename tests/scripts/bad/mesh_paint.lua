-- Paint of imported vertices that is no paint, or not on all of them.
local tweed = require "tweed"

local function cloth(name, paint, general)
  local mesh = tweed.import_mesh { file = "helpers/square.obj", paint = paint }
  return tweed.cloth { name = name, fabric = "cotton", attach = "hips", mesh = mesh, general = general }
end

return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" } },
  garments = {
    cloth("kind", function() return 3 end),
    cloth("far", function() return { max_distance = 20 } end),
    cloth("typo", function() return { pins = true } end),
    cloth("red", "color"),
    cloth("corner", function(vertex) return { pin = vertex.position[1] + vertex.position[2] > 1.1 } end, false),
    cloth("half", function(vertex) if vertex.color[1] == 1 then return { max_distance = .2 } end end),
  },
}
