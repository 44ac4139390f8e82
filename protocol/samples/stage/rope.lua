-- A rope on a pole, and commands that go wrong.
local tweed = require "tweed"

local bones = { { name = "pole" } } -- a tower of 110, each of which may be as far from its parent as 100 m
local thrown, times_spawned = {}, 0
for i = 1, 110 do
  bones[i + 1] = { name = "pole" .. i, parent = bones[i].name, position = { 0, .01, 0 } }
  thrown[bones[i + 1].name] = { position = { 0, 100, 0 } }
end

return tweed.character {
  skeleton = tweed.skeleton(bones),
  clips = { throw = tweed.clip { duration = 1, sample = function() return thrown end } },
  garments = {
    tweed.chain { name = "rope", bone = "pole110", fabric = "cotton", points = { { 0, 0, 0 }, { 0, -.1, 0 }, { 0, -.2, 0 } } },
  },
  on_spawn = function()
    times_spawned = times_spawned + 1
    if times_spawned > 1 then error("a rope is hung up once", 0) end
  end,
  commands = {
    say = { help = "log a line", run = function(self) tweed.log("info", self.name .. " hangs") end },
    trip = { help = "raise an error", run = function(self, arguments) return arguments.over.what end },
    ponder = { help = "take for ever", run = function() while true do end end },
    throw = { help = "reach 11 km up", run = function(self) self:play("throw", { fade = 0 }) end },
  },
}
