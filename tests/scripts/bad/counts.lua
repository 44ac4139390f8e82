local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { columns = 4 },
    body.cape { name = "shawl", max_distance = { 0, 0, 0, .1, .1, .1 } },
    body.cape { name = "scarf", max_distance = { bottom = .3, curve = 2 } },
    body.cape { name = "belt", columns = 2, positions = body.points(3, 2), closed = true },
    body.cape { name = "veil", bones = { first_column = 3 } },
    body.cape { name = "rag", pattern = { { 0, 1, 0 } } },
    body.cape { name = "vent", slits = { { column = 1, row = 3 } } },
    body.cape { name = "plaid", pose_stiffness = { 1, 2 } },
    body.cape { name = "stole", pose_stiffness = { top = 31, bottom = 1, base = 2 }, pose_damping = 11 },
    body.cape { name = "kilt", pose_stiffness = "stiff" },
    body.cape { name = "wrap", backstop = { 1, 2, 3 } },
    body.cape { name = "stola", backstop = { top = -1, curve = 0 } },
    body.cape { name = "hem", positions = { { 0, 1, 0 }, { 0, 1 } } },
  },
}
