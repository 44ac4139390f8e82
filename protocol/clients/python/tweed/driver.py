"""Driving a character's bones from here: an editor, motion capture, a procedure."""
from __future__ import annotations

import itertools
import logging
from collections.abc import Awaitable, Generator, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Optional, Union

from .errors import Disconnected, NotFound, RequestError

if TYPE_CHECKING:
    from .aio import Client

log = logging.getLogger("tweed")

Pose = Mapping[str, Union[Iterable[float], Mapping[str, Iterable[float]]]]


class Driver:
    """Drives bones of a character, frame by frame; made by `Client.drive`. Usable as `async with`, which releases them.

    The server refuses a faulty pose whole: a character or bone that it does not have, a rotation of length 0. Nothing
    waits for that, so the next call of the driver raises it, as RequestError, and the end of `async with` as well.

    sequence  the number of the last pose that was sent, 0 before the first; `Frame.sequence` tells it of a frame
    """

    def __init__(self, client: Client, character: str, space: str, ignore_unknown: bool) -> None:
        self.character = character
        self.sequence = 0
        self._client = client
        self._numbers = itertools.count(1)
        self._always: dict[str, Any] = {"character": character, "space": space, "ignore_unknown": ignore_unknown}
        self._refused: Optional[RequestError] = None

    def pose(self, bones: Pose, *, teleport: bool = False) -> Awaitable[Optional[int]]:
        """Sends a pose, {bone: rotation} or {bone: {"rotation": …, "position": …}}, at once.

        Awaiting it gives the pose's number, and holds a program back where the server does not keep up, so that its
        next pose is a late one and not an old one; without `await` the pose is sent all the same. While a lost
        connection is made anew poses are dropped here, and None is given. `teleport` is for a pose that is no motion,
        as where a timeline is scrubbed: the cloth is not whipped.

        Raises what the server refused an earlier pose for, and sends nothing then.
        """
        self._raise_refusal()
        number = next(self._numbers)
        numbers = {name: _numbers(bone) for name, bone in bones.items()}
        try:
            self._client._post("character.pose", {**self._always, "bones": numbers, "sequence": number,
                                                  "teleport": teleport}, self._refuse)
        except Disconnected:
            if self._client.closed:
                raise
            return _Sent(None, self._client)
        self.sequence = number
        return _Sent(number, self._client)

    async def release(self, *bones: str) -> None:
        """Gives these bones back to the character's script, or all; it takes them over within 0.2 s.

        Raises what the server refused an earlier pose for; the bones are given back all the same.
        """
        await self._release(bones)
        self._raise_refusal()  # by now every pose has its reply

    async def __aenter__(self) -> Driver:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        if self.sequence:
            try:
                await self._release(())
            except (Disconnected, NotFound):
                pass  # the server releases them itself, after its --pose-timeout; or the character is gone
        if error is None:
            self._raise_refusal()

    def __del__(self) -> None:
        if self._refused is not None:
            log.warning("a pose of %s was refused: %s", self.character, self._refused)

    async def _release(self, bones: tuple[str, ...]) -> None:
        await self._client.request("character.release", character=self.character, **({"bones": bones} if bones else {}))

    def _refuse(self, error: RequestError) -> None:
        self._refused = error

    def _raise_refusal(self) -> None:
        refused, self._refused = self._refused, None
        if refused is not None:
            raise refused


class _Sent:
    """Awaiting it waits until the connection has room for more."""

    def __init__(self, number: Optional[int], client: Client) -> None:
        self._number = number
        self._client = client

    def __await__(self) -> Generator[Any, None, Optional[int]]:
        try:
            yield from self._client._drain().__await__()
        except Disconnected:
            if self._client.closed:
                raise
            return None
        return self._number


def _numbers(bone: Union[Iterable[float], Mapping[str, Iterable[float]]]) -> dict[str, list[float]]:
    """Of any sequence of numbers, numpy's as well."""
    parts = bone if isinstance(bone, Mapping) else {"rotation": bone}
    return {part: [float(number) for number in numbers] for part, numbers in parts.items()}
