"""A character whose script counts, appends, and saves what it has."""

COUNTER = """local tweed = require "tweed"
local counts = {}
return tweed.character {
  skeleton = tweed.skeleton { { name = "Hips", position = { 0, 1, 0 } } },
  on_spawn = function(self) counts[self] = { ticks = 0, names = {}, appended = "" } end,
  on_tick = function(self) counts[self].ticks = counts[self].ticks + 1 end,
  on_save = function(self)
    if counts[self].faulty then error "not now" end
    return counts[self]
  end,
  on_restore = function(self, saved) counts[self] = saved end,
  commands = {
    look = { run = function(self) return { count = counts[self].ticks, random = tweed.random(1000000),
                                           name = counts[self].names[1] or "",
                                           appended = counts[self].appended } end },
    name = { run = function(self, arguments) counts[self].names[1] = arguments.name end },
    append = { run = function(self, arguments)
      counts[self].appended = counts[self].appended .. " " .. arguments.name .. math.tointeger(arguments.number)
    end },
    spawn = { run = function(self, arguments)
      for i = 1, arguments.number do
        tweed.spawn { script = "characters/counter", name = arguments.name .. " " .. math.tointeger(i) }
      end
    end },
    spoil = { run = function(self) counts[self].faulty = true end },
  },
}
"""


def write_counter(folder):
    (folder / "characters").mkdir()
    (folder / "characters/counter.lua").write_text(COUNTER)
    scene = folder / "scene.lua"
    scene.write_text("""local tweed = require "tweed"
return tweed.scene { spawn = { { script = "characters/counter", name = "alan" } } }
""")
    return scene


def counters(cluster, folder):
    """Nodes a, b and c that know of each other, each with a client of it; a has the counter, alan."""
    return cluster.of("a", "b", "c", scene=write_counter(folder))


def append(client, name, number):
    client.request("character.call", character="alan", command="append", arguments={"name": name, "number": number})


def appended(client):
    return client.request("character.call", character="alan", command="look")["result"]["appended"].split()
