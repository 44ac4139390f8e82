-- `tweed check` runs these callbacks; answers that only a server has are not there, and nothing is made of it.
local tweed = require "tweed"

return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips" } },
  clips = { walk = tweed.clip { duration = 1, sample = function() return {} end } },
  on_spawn = function(self, params)
    self:play("walk", { loop = params.loop })
    self:run(function() self.wind = tweed.request("world.get").wind.velocity end)
    tweed.on("world.changed", function(event) self.wind = event.wind.velocity end)
    tweed.spawn { script = "characters/wake", position = { 1, 0, 0 } }
    tweed.tornado { name = "whirl", position = { 3, 0, 0 } }
  end,
  on_tick = function(self, dt, time)
    self.time = time + dt
    if self.time > 0 then tweed.remove("wake") end
    return tweed.request("world.get").wind.velocity[1]
  end,
}
