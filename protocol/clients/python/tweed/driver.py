"""Posing a character's bones from an editor, motion capture or a procedure."""
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
    """Poses bones of a character; made by `Client.drive`. Usable as `async with`, which releases them.

    The server refuses a whole pose for an unknown character or bone, or a rotation of length 0. A pose does not wait
    for its reply: the next call of the driver raises the RequestError, or else the end of `async with`.

    sequence  the number of the last pose sent, 0 before the first; a frame has that of its pose in `Frame.sequence`
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

        Awaiting it returns the pose's number, and waits while the server does not keep up, so that poses do not queue
        and grow old. Without `await` the pose is sent, too. While the client reconnects, poses are dropped and the
        result is None. `teleport` is for a jump, as when a timeline is scrubbed: the cloth moves with the body.

        Raises the error of an earlier pose that the server refused; then nothing is sent.
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
        """Releases these bones, or all, to the character's script, blended over 0.2 s.

        Raises the error of an earlier pose that the server refused; the bones are released in any case.
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
    """Waits, when awaited, until the connection can send more."""

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
    """Takes any sequence of numbers, including numpy's."""
    parts = bone if isinstance(bone, Mapping) else {"rotation": bone}
    return {part: [float(number) for number in numbers] for part, numbers in parts.items()}
