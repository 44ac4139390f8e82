"""Iterators of events, of frames, and of motion between frames."""
from __future__ import annotations

import asyncio
import itertools
import time
from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, Generic, Optional, TypeVar

from .errors import Overrun
from .frames import Event, Frame, Static
from .interpolation import Timeline

if TYPE_CHECKING:
    from .aio import Client

MOST_WAITING = 1 << 16  # items that may wait in an iterator

T = TypeVar("T")


class Mailbox(Generic[T]):
    """An iterator of added items. An item replaces a waiting one with the same key, in its place of the order."""

    def __init__(self) -> None:
        self._items: OrderedDict[Hashable, T] = OrderedDict()
        self._something = asyncio.Event()
        self._ended = False
        self._error: Optional[Exception] = None

    def put(self, key: Hashable, item: T) -> None:
        self._items[key] = item
        if len(self._items) > MOST_WAITING:
            self.end(Overrun(f"more than {MOST_WAITING} wait to be read"))
        self._something.set()

    def end(self, error: Optional[Exception] = None) -> None:
        """Ends the iterator, with the error if there is one, after the waiting items are read."""
        if not self._ended:
            self._ended, self._error = True, error
            self._something.set()

    def __aiter__(self) -> Mailbox[T]:
        return self

    async def __anext__(self) -> T:
        while not self._items:
            if self._ended:
                raise self._error or StopAsyncIteration
            self._something.clear()
            await self._something.wait()
        return self._items.popitem(last=False)[1]


class Events(Mailbox[Event]):
    """An iterator of events; made by `Client.events`. Ends with the client, or by `close`."""

    def __init__(self, methods: tuple[str, ...], readers: list[Events]) -> None:
        super().__init__()
        self._methods = methods
        self._numbers = itertools.count()
        self._readers = readers
        readers.append(self)

    def close(self) -> None:
        self.end()

    def end(self, error: Optional[Exception] = None) -> None:
        super().end(error)
        if self in self._readers:
            self._readers.remove(self)

    def _told(self, event: Event) -> None:
        if not self._methods or event.method in self._methods:
            self.put(next(self._numbers), event)


class View(Mailbox[Frame]):
    """A subscription as an iterator of frames; made by `Client.subscribe`.

    It ends when it is unsubscribed, replaced by an equal view, or its client is closed. It raises Disconnected when the
    connection is lost without `reconnect`, and Overrun when it queues frames and is not read.

    number      the server's number of the view; it changes when the client reconnects
    parameters  those of stream.subscribe
    characters  the names of the characters that matched at first
    static      static data of each character, by its name
    """

    def __init__(self, client: Client, parameters: dict[str, Any]) -> None:
        super().__init__()
        self.number = 0
        self.parameters = parameters
        self.characters: list[str] = []
        self.static: dict[str, Static] = {}
        self._gone: dict[str, Static] = {}  # of the removed: frames that were queued come after the event
        self._client = client
        self._numbers = itertools.count()
        self._timeline: Optional[Timeline] = None

    async def update(self, **changes: Any) -> None:
        """Changes parameters of the view: `rate`, `bones`, … Raises as `request`; then nothing changes."""
        before, number = self.parameters, self.number
        self._client._require()
        self.parameters = {**before, **changes}
        try:
            await self._client._subscribe(self)
        except BaseException:
            self.parameters = before
            raise
        if self.number != number:
            await self._client.request("stream.unsubscribe", view=number)

    async def unsubscribe(self) -> None:
        """Ends the subscription."""
        self.end()
        if self._client._forget(self):
            await self._client.request("stream.unsubscribe", view=self.number)

    def interpolated(self, delay: float = 0.1, rate: float = 60.0) -> Motion:
        """Returns interpolated motion, `delay` seconds (0 to 10) behind the server, sampled `rate` times a second.

        The delay hides the jitter of the network: two or three frames of the view, and more on a bad connection. Frames
        then go there, and no longer to this iterator. Views with `layout="trs"` cost a third of what matrices cost.
        """
        timeline = Timeline(delay)
        motion = Motion(self, timeline, rate)
        while self._items:
            timeline.push(self._items.popitem(last=False)[1], time.monotonic())
        self._timeline = timeline
        return motion

    def _began(self, result: dict[str, Any]) -> None:
        self.number, self.characters = result["view"], result["characters"]
        self.static.clear()
        self._gone.clear()
        self._items.clear()
        if self._timeline is not None:
            self._timeline.restart()

    def _described(self, params: dict[str, Any]) -> None:
        name = params["character"]
        self._gone.pop(name, None)
        self.static[name] = Static(name, params["revision"], tuple(params["bones"]), params.get("description"))

    def _framed(self, params: dict[str, Any]) -> None:
        name = params["character"]
        if name not in self.static and (name not in self._gone or self._timeline is not None):
            return
        frame = Frame(self.static.get(name) or self._gone[name], params["tick"], params["time"], params["bones"],
                      params.get("sequence"), params.get("particles", {}), params.get("references", {}),
                      params.get("wrinkles", {}))
        if self._timeline is not None:
            self._timeline.push(frame, time.monotonic())
        elif not self._ended:
            self.put(next(self._numbers) if self.parameters.get("policy") == "queue" else frame.character, frame)

    def _removed(self, character: str) -> None:
        if character in self.static:
            self._gone[character] = self.static.pop(character)
        if self._timeline is not None:
            self._timeline.remove(character)

    def _resumed(self) -> None:
        if self._timeline is not None:
            self._timeline.resynchronise()


class Motion:
    """Interpolated frames of a view; made by `View.interpolated`.

    Iterating gives {character: Frame} at the requested rate, from the first frame on. `sample` returns it at the
    present moment, for programs with a clock of their own. `Frame.time` is the time of the sample.
    """

    def __init__(self, view: View, timeline: Timeline, rate: float) -> None:
        if not 0 < rate <= 1000:
            raise ValueError(f"rate must be above 0, and 1000 a second at most, not {rate}")
        self._view = view
        self._timeline = timeline
        self._period = 1 / rate
        self._due = 0.0

    def sample(self) -> dict[str, Frame]:
        """Returns all characters at the present moment; {} before the first frame."""
        return self._timeline.sample(time.monotonic())

    def __aiter__(self) -> Motion:
        return self

    async def __anext__(self) -> dict[str, Frame]:
        while True:
            now = time.monotonic()
            self._due = max(self._due + self._period, now)  # missed samples are skipped
            await asyncio.sleep(self._due - now)
            if self._view._ended:
                raise self._view._error or StopAsyncIteration
            if characters := self.sample():
                return characters
