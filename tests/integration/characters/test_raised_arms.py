"""Raising the arms lifts the shoulder pads, what hangs on them and the cloth below, as far as the constraints say."""
import numpy as np
import pytest
from geometry import Recorder

SCENE = """
local tweed = require "tweed"
local human = require "rigs.human"
local pose = require "rigs.pose"
local gait = require "rigs.gait"
local vector = require "rigs.vector"
local jacket = require "garments.jacket"

-- Both wrists go up, from beside the hips to above the head, at arm's length aside.
local function raise(t)
  local turns = gait.standing(human)
  for side, sign in pairs { left = 1, right = -1 } do
    local shoulder = pose.joint(human, turns, side .. "_upper_arm")
    local angle = math.rad(-60 + 130 * t)
    local way = { sign * .4 * math.cos(angle), .4 * math.sin(angle), .05 }
    pose.reach(human, turns, side, vector.add(shoulder, way), { 0, 0, -1 })
  end
  return pose.frame(human, turns)
end

return tweed.character {
  skeleton = human.skeleton,
  clips = { raise = tweed.clip { duration = 1, sample = raise }, stand = gait.stand() },
  colliders = human.colliders,
  driven = require "garments.jacket_upper"(),
  garments = {
    jacket { name = "jacket", upper = true, fabric = "tweed" }, jacket { name = "other", fabric = "tweed" },
  },
}
"""


def at_client(start, folder):
    (folder / "raise.lua").write_text(SCENE)
    return start(scene=folder / "raise.lua").client()


@pytest.fixture
def raised(start, tmp_path):
    """raised(t): the bones' matrices in model space at a time of the clip; raised.rest those at rest."""
    client = at_client(start, tmp_path)
    client.subscribe(space="model", precision=7)
    bones = client.request("character.describe", character="raise")["bones"]
    names = [bone["name"] for bone in bones]

    def at(time):
        client.request("character.play", character="raise", clip="raise", at=time, speed=0, fade=0)
        frame = client.step(1)[-1]
        return {name: np.array(numbers).reshape(4, 4).T for name, numbers in zip(names, frame["bones"])}

    at.rest = {bone["name"]: np.array(bone["rest"]).reshape(4, 4).T for bone in bones}
    at.parent = {bone["name"]: names[bone["parent"]] for bone in bones if bone["parent"] >= 0}
    return at


def smallest_turn(a, b):
    """The matrix of the smallest turn from one direction to another (Rodrigues)."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    x, y, z = np.cross(a, b)
    skew = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + skew + skew @ skew / (1 + a @ b)


def expected(raised, now, side):
    """By the aim's closed form: the pad, fixed to the chest, turns by the smallest turn towards two fifths down the
    upper arm, and takes the breast's joint along."""
    rest, pad = raised.rest, f"pad_{side.lower()}"
    chest = raised.parent[pad]
    carried = now[chest] @ np.linalg.inv(rest[chest]) @ rest[pad]  # as the chest alone would have it
    arm, forearm = now[f"{side}Arm"][:3, 3], now[f"{side}ForeArm"][:3, 3]
    axis = carried[:3, :3] @ np.array([1 if side == "Left" else -1, 0, 0])
    turned = smallest_turn(axis, arm + .4 * (forearm - arm) - carried[:3, 3]) @ carried[:3, :3]
    breast = f"breast_{side.lower()}"
    return turned, carried[:3, 3] + turned @ (np.linalg.inv(rest[pad]) @ rest[breast])[:3, 3]


def kept_apart(raised, left, right):
    """Both sides' joints, moved alike along their line to the distance that they have at rest."""
    apart = np.linalg.norm(raised.rest["breast_left"][:3, 3] - raised.rest["breast_right"][:3, 3])
    middle, way = (left + right) / 2, (left - right) / np.linalg.norm(left - right)
    return middle + way * apart / 2, middle - way * apart / 2


def test_pads_and_what_hangs_on_them_rise_as_the_aim_says(raised):
    rises = []
    for time in np.linspace(0, 1, 9):
        now = raised(float(time))
        turns, joints = zip(*(expected(raised, now, side) for side in ("Left", "Right")))
        for side, turned, hung in zip(("left", "right"), turns, kept_apart(raised, *joints)):
            pad, breast = now[f"pad_{side}"], now[f"breast_{side}"]
            assert np.abs(pad[:3, :3] - turned).max() < 1e-4
            assert np.abs(breast[:3, 3] - hung).max() < 1e-4
            assert breast[:3, 1] @ [0, 1, 0] > 1 - 1e-6  # it hangs straight down all the same
        tip = now["pad_left"] @ [.1, 0, 0, 1]  # a tenth of a metre out on the pad
        rises.append((now["LeftHand"][1, 3], tip[1], now["breast_left"][1, 3]))
    hand, tip, breast = np.array(rises).T
    assert (np.diff(hand) > 0).all() and hand[-1] - hand[0] > .6
    assert (np.diff(tip) > 0).all() and tip[-1] - tip[0] > .05
    print("rises", hand[-1] - hand[0], tip[-1] - tip[0], breast[-1] - breast[0])
    assert (np.diff(breast) > 0).all() and breast[-1] - breast[0] > .005


def test_the_wrists_go_where_they_are_told(raised):
    for time in (0, .5, 1):
        now = raised(time)
        angle = np.radians(-60 + 130 * time)
        for side, sign in (("Left", 1), ("Right", -1)):
            way = now[f"{side}Hand"][:3, 3] - now[f"{side}Arm"][:3, 3]
            assert np.abs(way - [sign * .4 * np.cos(angle), .4 * np.sin(angle), .05]).max() < 1e-4


@pytest.mark.parametrize("side, sign", [("left", 1), ("right", -1)])
def test_a_raised_arm_lifts_the_cloth_below_it(start, tmp_path, side, sign):
    """By a pose of 120 degrees; only where the row is attached to the shoulders, and only on that side."""
    client = at_client(start, tmp_path)
    client.request("character.play", character="raise", clip="stand", fade=0)
    recorder = Recorder(client, "raise")
    before = recorder.record(30)
    arm, turn = f"{side.title()}Arm", np.radians(120 / 2)
    now = before.bone_matrices()[arm][-1, :3, :3]
    half = np.sqrt(1 + np.trace(now)) / 2
    x, y, z = (now[[2, 0, 1], [1, 2, 0]] - now[[1, 2, 0], [2, 0, 1]]) / (4 * half)
    s, c = sign * np.sin(turn), np.cos(turn)  # (0, 0, s, c) times (x, y, z, half)
    rotation = [c * x - s * y, c * y + s * x, c * z + s * half, c * half - s * z]
    client.request("character.pose", character="raise", space="model", bones={arm: {"rotation": rotation}})
    after = recorder.record(30)

    def lift(bone):
        return (after.bone_matrices()[bone] - before.bone_matrices()[bone])[-1, 1, 3]

    def row(take, name):
        return take.particles[name][-1, :17]

    rise = (row(after, "jacket") - row(before, "jacket"))[:, 1]
    at = row(before, "jacket")
    print("lifts", lift(f"breast_{side}"), lift(f"blade_{side}"), rise)
    for bone, front in ((f"breast_{side}", at[:, 2] > .05), (f"blade_{side}", at[:, 2] < -.08)):
        assert lift(bone) > .02
        assert rise[front & (sign * at[:, 0] > .07)].min() >= .8 * lift(bone)
        assert np.abs(rise[front & (sign * at[:, 0] < -.07)]).max() < .2 * lift(bone)
    assert np.abs(np.diff(rise)).max() < .5 * rise.max(), "it blends round the waist"
    assert np.abs(row(after, "other") - row(before, "other")).max() < 1e-5
    assert client.request("server.stats")["constraint_conflicts"] == 0
