-- A command, or a part of one, that plays a clip over and over.
--
--   commands = { walk = { help = "walk on", run = loop "walk" } }     -- fading in within .3 s; loop("walk", .5): .5 s

return function(clip, fade)
  return function(self) self:play(clip, { loop = true, fade = fade or .3 }) end
end
