"""solver = "mass_spring": what describe, fabric.set, reloads and server.stats say of springs."""
import numpy

BANNER = """local tweed = require "tweed"
local points = {}
for row = 0, 7 do for column = 0, 7 do points[#points + 1] = { column * .06, -row * .06, 0 } end end
return tweed.character {
  skeleton = tweed.skeleton { { name = "root", position = { 0, 1, 0 } } },
  garments = { tweed.cloth { name = "banner", fabric = "tweed", solver = "%s", rows = 8, columns = 8,
                             positions = points, attach = "root", max_distance = { top = 0, bottom = 1 } } },
}
"""


def begin(start, folder, solver="mass_spring"):
    script = folder / "banner.lua"
    script.write_text(BANNER % solver)
    server = start(scene=script)
    client = server.client()
    return server, client, client.request("character.list")[0]["name"]


def garment_of(client, name):
    return client.request("character.describe", character=name)["garments"][0]


def test_describe_tells_the_step_that_springs_need(start, tmp_path):
    _, client, name = begin(start, tmp_path)
    banner = garment_of(client, name)
    springs = banner["springs"]
    assert (banner["solver"], springs["share"]) == ("mass_spring", 1)
    assert springs["substeps"] == 4 * numpy.ceil(1 / 240 / (.8 * springs["stable_step"])), "at 60 ticks a second"
    steps = []
    for stiffness in 1, 4:
        values = {"structural": 200 * stiffness, "shear": 60 * stiffness, "flexion": 20 * stiffness, "damping": 0}
        client.request("fabric.set", character=name, garment="banner", values={"spring": values})
        client.step(30)  # a description changes five times a second
        steps.append(garment_of(client, name)["springs"]["stable_step"])
    assert steps[0] > springs["stable_step"], "without damping"
    assert abs(steps[0] / steps[1] - 2) < 1e-4, "four times as stiff: half the step"


def test_springs_beyond_the_most_steps_are_softened_with_a_warning(start, tmp_path):
    server, client, name = begin(start, tmp_path)
    client.request("fabric.set", character=name, garment="banner", values={"spring": {"structural": 1e5}})
    springs = garment_of(client, name)["springs"]
    assert springs["substeps"] == 64 and springs["share"] < .1
    expected = f"{name}: banner: springs too stiff for 64 steps in 1/60 s"
    message = client.event("log", level="warning")["message"]
    assert message.startswith(expected) and f"structural 1e+05 is simulated as {1e5 * springs['share']:.4g}" in message
    assert expected in server.log()
    client.step(120)
    stats = client.request("server.stats")
    assert (stats["unstable"], stats["constraint_conflicts"]) == (0, 0) and 0 <= stats["spring_excess"] < 1e-4


def test_springs_change_and_reload_without_a_jump(start, tmp_path):
    _, client, name = begin(start, tmp_path)
    client.step(240)
    client.subscribe(particles=True, static=False)
    before = None
    for values in ({"structural": 2000, "limit": .02}, {"structural": 20, "shear": 5}, {"limit": .005}):
        client.request("fabric.set", fabric="tweed", values={"spring": values})
        for frame in client.step(30):
            now = numpy.array(frame["particles"]["banner"])
            assert before is None or numpy.abs(now - before).max() < .01, values
            before = now
    assert before is not None
    (tmp_path / "banner.lua").write_text(BANNER % "verlet")
    client.request("script.reload")
    client.step(1)
    assert garment_of(client, name)["solver"] == "verlet" and "springs" not in garment_of(client, name)


def test_springs_without_stiffness_are_described(start, tmp_path):
    _, client, name = begin(start, tmp_path)
    none = {"structural": 0, "shear": 0, "flexion": 0, "damping": 0}
    client.request("fabric.set", fabric="tweed", values={"spring": none})
    assert garment_of(client, name)["springs"] == {"stable_step": 1, "substeps": 4, "share": 1}
    assert all(numpy.isfinite(frame["bones"]).all() for frame in client.step(30))
