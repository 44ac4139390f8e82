"""Notifications of the server: static data, frames and events."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Optional

Numbers = list[float]


@dataclass(frozen=True)
class Static:
    """Static data of a character in a view, valid until its revision changes.

    bones        the names of the bones in frames, in order
    description  the result of character.describe in the view's axes; None with `static=False`
    """

    character: str
    revision: int
    bones: tuple[str, ...]
    description: Optional[dict[str, Any]] = None
    index: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "index", {name: number for number, name in enumerate(self.bones)})


@dataclass(frozen=True)
class Frame:
    """One character at one tick. `frame["Hips"]` is the bone of that name (KeyError if the view has none).

    tick        ticks simulated since the server started
    time        tick / tick_rate, seconds of simulation
    sequence    that of the last character.pose in the frame; None without one
    bones       [bone][16], column-major; with layout "trs" [bone][10]: translation, quaternion x, y, z, w, scale
    particles   {garment: [x, y, z, …]}, like references; {} unless the view asks for them
    wrinkles    {garment: {"warp": [bone], "weft": [bone]}}; {} unless the view asks for them
    """

    static: Static
    tick: int
    time: float
    bones: list[Numbers]
    sequence: Optional[int] = None
    particles: dict[str, Numbers] = field(default_factory=dict)
    references: dict[str, Numbers] = field(default_factory=dict)
    wrinkles: dict[str, dict[str, Numbers]] = field(default_factory=dict)

    @property
    def character(self) -> str:
        return self.static.character

    def __getitem__(self, bone: str) -> Numbers:
        return self.bones[self.static.index[bone]]


@dataclass(frozen=True)
class Event:
    """A notification: "world.changed", "log", … with its parameters, including `tick`.

    The client itself adds "connection.lost" {reason} and "connection.restored" (the parameters of the new hello).
    """

    method: str
    params: dict[str, Any]
