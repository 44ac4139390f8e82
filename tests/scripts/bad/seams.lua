local tweed = require "tweed"
local body = require "helpers.body"

return tweed.character {
  skeleton = body.skeleton(),
  garments = {
    body.cape { name = "cape" },
    body.cape { name = "bib", bones = { prefix = "bib_" } },
    tweed.chain { name = "tie", bone = "Spine", fabric = "silk", points = { { 0, 0, 0 }, { 0, -.1, 0 } } },
  },
  seams = {
    tweed.seam { column = 0, to = { "bib", column = 2 } },
    tweed.seam { "caep", column = 0, to = { "bbi", column = 2 } },
    tweed.seam { "cape", name = "a", column = 3, to = { "bib", column = -1 } },
    tweed.seam { "cape", name = "b", column = 1, to = { "cape", column = 1 } },
    tweed.seam { "cape", name = "c", column = 0, to = { "bib", column = 2 }, rows = { 1 } },
    tweed.seam { "cape", name = "d", column = 0, to = { "bib", column = 2 }, rows = { 2, 1 } },
    tweed.seam { "cape", name = "e", column = 0, to = { "bib", column = 2 }, rows = { 0, 3 } },
    tweed.seam { "cape", name = "f", column = 0, to = { "tie", column = 0 }, rows = { 1, 2 } },
    tweed.seam { "cape", name = "g", column = 0, to = { "tie", column = 0, row = 2 } },
    tweed.seam { "cape", "bib", name = "twice", column = 0, to = { "bib", column = 2 }, closed = 1 },
    tweed.seam { "cape", name = "twice", column = 2, to = { "bib", colum = 0 } },
    { "cape", name = "plain", column = 0, to = "bib" },
  },
}
