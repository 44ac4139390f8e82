"""A script that works as long as it is told to, so that ticks take longer than their time."""
import time

from harness import PATIENCE

BUSY = """
local tweed = require "tweed"
local calls = 0
return tweed.character {
  skeleton = tweed.skeleton { { name = "hips" } },
  commands = { work = { run = function(_, arguments) calls = arguments.calls end } },
  on_tick = function() for _ = 1, calls do math.sin(1) end end,
}
"""


def write_busy(folder):
    """A scene of the character "busy"."""
    (folder / "characters").mkdir()
    (folder / "characters/busy.lua").write_text(BUSY)
    scene = folder / "scene.lua"
    scene.write_text('return require "tweed".scene { spawn = { { script = "characters/busy", name = "busy" } } }')
    return scene


def frame_interval(client):
    return client.request("server.stats")["frame_interval"]


def make_busy(client, interval, calls=300_000):
    """Has "busy" work, ever longer, until frames come every so many ticks."""
    while frame_interval(client) < interval:
        client.request("character.call", character="busy", command="work", arguments={"calls": calls})
        calls *= 2
        until = time.monotonic() + 2 * PATIENCE
        while frame_interval(client) < interval and time.monotonic() < until:
            time.sleep(0.05)
