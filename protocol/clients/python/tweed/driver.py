"""Driving a character's bones from here: an editor, motion capture, a procedure."""
from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import Disconnected, NotFound

if TYPE_CHECKING:
    from .aio import Client

Pose = Mapping[str, Union[Iterable[float], Mapping[str, Iterable[float]]]]


class Driver:
    """Drives bones of a character, frame by frame; made by `Client.drive`. Usable as `async with`, which releases them.

    sequence  the number of the last pose that was sent, 0 before the first; `Frame.sequence` tells it of a frame
    """

    def __init__(self, client: Client, character: str, space: str, ignore_unknown: bool) -> None:
        self.character = character
        self.sequence = 0
        self._client = client
        self._numbers = itertools.count(1)
        self._always: dict[str, Any] = {"character": character, "space": space, "ignore_unknown": ignore_unknown}

    async def pose(self, bones: Pose, *, teleport: bool = False) -> Optional[int]:
        """Sends a pose, {bone: rotation} or {bone: {"rotation": …, "position": …}}, and gives its number.

        It is a notification: nothing waits for it, but where the server does not keep up, it takes until there is
        room, so that what is posed next is posed late and not an old pose. A faulty one is dropped whole by the server, which says why in a
        "log" event. While a lost connection is made anew poses are dropped here, and None is given. `teleport` is for
        a pose that is no motion, as where a timeline is scrubbed: the cloth is not whipped.
        """
        number = next(self._numbers)
        numbers = {name: _numbers(bone) for name, bone in bones.items()}
        try:
            await self._client.notify("character.pose", **self._always, bones=numbers, sequence=number,
                                      teleport=teleport)
        except Disconnected:
            if self._client.closed:
                raise
            return None
        self.sequence = number
        return number

    async def release(self, *bones: str) -> None:
        """Gives these bones back to the character's script, or all; it takes them over within 0.2 s."""
        await self._client.request("character.release", character=self.character, **({"bones": bones} if bones else {}))

    async def __aenter__(self) -> Driver:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        if self.sequence:
            try:
                await self.release()
            except (Disconnected, NotFound):
                pass  # the server releases them itself, after its --pose-timeout; or the character is gone


def _numbers(bone: Union[Iterable[float], Mapping[str, Iterable[float]]]) -> dict[str, list[float]]:
    """Of any sequence of numbers, numpy's as well."""
    parts = bone if isinstance(bone, Mapping) else {"rotation": bone}
    return {part: [float(number) for number in numbers] for part, numbers in parts.items()}
