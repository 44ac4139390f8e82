-- Every definition, with every key that it takes.
local tweed = require "tweed"

local function grid(rows, columns)
  local points = {}
  for row = 0, rows - 1 do
    for column = 0, columns - 1 do
      points[#points + 1] = { ((columns - 1) / 2 - column) * .1, 1.3 - row * .1, -.3 }
    end
  end
  return points
end

local function ring(rows, columns)
  local points = {}
  for row = 0, rows - 1 do
    for column = 0, columns - 1 do
      local angle = 2 * math.pi * column / columns
      points[#points + 1] = { .3 * math.sin(angle), 1 - row * .1, .3 * math.cos(angle) }
    end
  end
  return points
end

local function numbers(count, number)
  local list = {}
  for i = 1, count do list[i] = number end
  return list
end

return tweed.character {
  skeleton = tweed.skeleton {
    { name = "LeftHand", parent = "LeftArm", position = { .3, 0, 0 } }, -- children may come first
    { name = "Hips", position = { 0, 1, 0 } },
    { name = "Spine", parent = "Hips", position = { 0, .3, 0 }, rotation = { 0, 0, 0, 1 } },
    { name = "LeftArm", parent = "Spine", position = { .2, .2, 0 } },
    { name = "RightArm", parent = "Spine", position = { -.2, .2, 0 } },
  },
  clips = {
    sway = tweed.clip {
      duration = 2, rate = 30, loop_blend = 0,
      sample = function(t)
        local sway = tweed.quaternion.axis_angle({ 0, 0, 1 }, .1 * math.sin(math.pi * t))
        return {
          bones = { Spine = { rotation = sway }, Hips = { position = { 0, 1 + .01 * t, 0 } } },
          root = { x = 0, z = t, heading = 0 },
        }
      end,
    },
    nod = tweed.clip { duration = 1, sample = function() return { Spine = { rotation = { 0, 0, 0, 1 } } } end },
  },
  colliders = {
    tweed.ellipsoid {
      name = "pelvis", bone = "Hips", center = { 0, .02, 0 }, rotation = { 0, 0, 0, 1 }, radii = { .17, .12, .13 },
    },
    tweed.sphere { name = "head", bone = "Spine", center = { 0, .4, 0 }, radius = .1 },
    tweed.capsule {
      name = "arm", bone = "LeftArm", from = { 0, 0, 0 }, to = { .3, 0, 0 }, radius = .05, radius_end = .04,
    },
    tweed.capsule { name = "on the cape", bone = "c_1_2", to = { .1, 0, 0 }, radius = .02 },
    tweed.plane { name = "wall", normal = "z", offset = -2 },
  },
  driven = {
    tweed.position { between = { "hang_l", "hang_r" }, keep = "distance", weight = 1 },
    tweed.aim { bone = "hang_l", direction = { 0, -1, 0 }, axis = "x" },
    tweed.aim { bone = "hang_r", direction = { 0, -1, 0 }, axis = { 1, 0, 0 } },
    tweed.aim { bone = "pad_l", at = { bone = "LeftArm", offset = { .1, 0, 0 } }, axis = "-z", weight = .5 },
    tweed.bone { name = "hang_l", parent = "pad_l", position = { .1, 0, 0 } }, -- before its parent
    tweed.bone { name = "hang_r", parent = "Spine", position = { -.2, .2, 0 } },
    tweed.bone { name = "pad_l", parent = "Spine", position = { .1, .2, 0 }, rotation = { 0, 0, 0, 1 } },
    tweed.bone { name = "twist_l", parent = "LeftArm" },
    tweed.twist { bone = "twist_l", follows = "LeftHand", share = .5, axis = "x" },
    tweed.slide { bone = "twist_l", follows = "LeftHand", relative_to = "Spine", axis = "y", share = .5 },
  },
  meshes = {
    tweed.mesh {
      name = "badge", positions = { { 0, 1.3, .1 }, { .1, 1.3, .1 }, { 0, 1.4, .1 } }, triangles = { { 1, 2, 3 } },
      normals = { { 0, 0, 1 }, { 0, 0, 2 }, { 0, 0, 3 } }, uvs = { { 0, 0 }, { .1, 0 }, { 0, .1 } },
      weights = { { Spine = 1 }, { Spine = 3, Hips = 1 }, { c_1_2 = 1 } }, garment = "hood", covers = { 0, .1, .1 },
      material = { color = { .8, .7, .2 }, roughness = .2, pattern = "smooth" },
    },
    tweed.mesh {
      name = "packed", positions = string.pack("<fffffffff", 0, 1, .1, .1, 1, .1, 0, 1.1, .1), covers = .05,
      triangles = string.pack("<I4I4I4", 1, 2, 3),
      weights = {
        bones = { "Hips" }, joints = string.pack("<I2I2I2I2", 1, 0, 0, 0):rep(3),
        shares = string.pack("<ffff", 1, 0, 0, 0):rep(3),
      },
    }:with { name = "buckle", material = { pattern = "grain" } },
  },
  garments = {
    tweed.cloth {
      name = "cape", fabric = "silk", solver = "verlet", rows = 4, columns = 5, closed = false,
      positions = grid(4, 5), pattern = grid(4, 5), attach = "Spine", references = { "pelvis" },
      colliders = { "pelvis", "head" },
      max_distance = { top = 0, bottom = .5, curve = .5 },
      regions = { { fabric = "leather", rows = { 3, 3 } }, { thickness = .01, columns = { 0, 1 } } },
      slits = { { column = 2, row = 2, over = "right" } },
      bones = { prefix = "c_", first_column = 0, every = 1, last_row = "none" },
      collision = "article", hard = "article", bend = "article", self_collision = .02,
      meshes = {
        tweed.mesh {
          name = "button", weights = "c_0_0", triangles = { { 1, 2, 3 } },
          positions = { { 0, 1.3, -.3 }, { .1, 1.3, -.3 }, { 0, 1.4, -.3 } },
        },
      },
    },
    tweed.cloth {
      name = "skirt", fabric = "cotton", solver = "mass_spring", limit_sweeps = 50,
      rows = 3, columns = 8, closed = true, positions = ring(3, 8),
      attach = {
        { Hips = 1 }, { Hips = .5, Spine = .5 }, { Hips = 1 }, { hang_l = 1 }, { Hips = 1 }, { Hips = 1 },
        { Hips = 3 / 4, Spine = 1 / 4 }, { Hips = 1 },
      },
      references = "attach", max_distance = numbers(24, .3),
    },
    tweed.pendulum {
      name = "hood", bone = "Spine", rest = { 0, -.08, -.4 }, fabric = "tweed", colliders = {},
      pose_stiffness = 2, pose_damping = .3, angle_limit = 60,
    },
    tweed.chain {
      name = "tail", bone = "Hips", points = { { 0, 0, -.2 }, { 0, -.1, -.3 }, { 0, -.2, -.4 } }, fabric = "leather",
      follows = { "Spine", "LeftArm" }, pose_stiffness = { base = 4, tip = 1 }, pose_damping = .5,
      angle_limit = { base = 90, tip = 20 },
      bones = { prefix = "tail_", last_row = "follow" },
    },
  },
  seams = {
    tweed.seam { "cape", name = "hem", column = 0, to = { "cape", column = 4 }, rows = { 2, 3 }, closed = true },
    tweed.seam { "hood", column = 0, to = { "cape", column = 2, row = 2 }, rows = { 1, 1 }, closed = false },
  },
  on_spawn = function(self, params)
    self.given = params.given
    self:play("sway", { loop = true })
  end,
  on_tick = function(self, dt, time)
    self.ticks = (self.ticks or 0) + dt * 0 + time * 0 + 1
  end,
  commands = {
    count = { help = "how many ticks", run = function(self) return self.ticks end },
    nod = { run = function(self) self:play("nod", { fade = .1, speed = -1, at = .5 }) end },
  },
}
