-- A command that reaches for a place with a hand, whatever else the character does, until it is told to let go:
--
--   commands = { reach = { help = "reach for a place", run = require "rigs.reach"(human) } }
--
-- Its arguments: hand = "left" or "right" (default), place = { x, y, z }, m in model space, where the wrist goes;
-- without a place an arm that reaches is given back, and one that does not reaches out in front of its shoulder.
-- Out of reach the arm is stretched out towards the place.

local tweed = require "tweed"
local pose = require "rigs.pose"
local vector = require "rigs.vector"

local TIME = .4 -- s until the hand is there
local IN_FRONT = { 0, .1, .45 } -- m from the shoulder in model space, where no place is named

local function check_place(place)
  assert(type(place) == "table" and #place == 3, "place: expected { x, y, z }")
  for i = 1, 3 do assert(type(place[i]) == "number", "place: expected three numbers") end
end

return function(man)
  return function(self, arguments)
    local side, place = arguments.hand or "right", arguments.place
    assert(side == "left" or side == "right", 'hand: expected "left" or "right"')
    if place then check_place(place) end
    self.reaching = self.reaching or {}
    if not place and not self.reaching[side] then
      place = vector.add((self:bone(man.bone[side .. "_upper_arm"])), IN_FRONT)
    end
    self.reaching[side] = place
    if not place then
      self:release(pose.arm(man, side))
      return
    end
    self:run(function()
      local from, time = (self:bone(man.bone[side .. "_hand"])), 0
      while self.reaching[side] == place do -- no other was named meanwhile
        local t = math.min(time / TIME, 1)
        pose.drive_arm(self, man, side, vector.mix(from, place, (3 - 2 * t) * t * t))
        time = time + tweed.wait(0)
      end
    end)
  end
end
