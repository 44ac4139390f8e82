-- Surfaces that cannot be lofted, bound or fitted.
local tweed = require "tweed"

local skeleton = tweed.skeleton { { name = "hips" }, { name = "head", parent = "hips", position = { 0, .5, 0 } } }
local ball = tweed.sphere { name = "ball", bone = "hips", radius = .2 }
local surface = tweed.loft_mesh { skeleton = skeleton, shapes = { ball } }

local function bind(options)
  options.name, options.mesh, options.skeleton = "body", surface, skeleton
  return tweed.bind_mesh(options)
end

tweed.loft_mesh { skeleton = skeleton, shapes = { ball, tweed.sphere { name = "b", bone = "hip", radius = .1 } } }
tweed.loft_mesh { skeleton = skeleton, shapes = { ball }, cell = .001, blend = .3 }
bind {}
bind { bones = { hips = { { 0, 0, 0 } }, hed = { { 0, 0, 0 } } } }
bind { bones = {} }
bind { bones = { hips = { { 0, 0, 0 } } }, fit = { head = { from = { 0, 0, 0 } } } }
bind { bones = { hips = { { 0, 0, 0 } } }, tuck = { shapes = { ball }, bones = { tail = .5 } } }
bind { bones = { hips = { { 0, 0, 0 } } }, sharpness = 0 }

return tweed.character { skeleton = skeleton, meshes = { surface } }
