"""The connection to a tweed server, without threads and without bpy.

The project's asyncio client runs on an event loop that only turns when `Link.poll` or `Link.wait` turns it, so that all
of it happens on the caller's thread, and nothing waits for the network in between.
"""
from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Coroutine
from typing import Any, Callable, Optional, TypeVar

from .tweed import aio
from .tweed.errors import Disconnected, NotAllowed, NotNow, RequestError, TweedError, WrongProtocol
from .tweed.frames import Event, Frame

T = TypeVar("T")

TURNS = 8  # of the event loop in one poll: data, its lines, their replies, what those ask for
REQUEST_WITHIN = 20.0  # s; a description with meshes is computed when it is first asked for
PING_EVERY = 1.0  # s
MEASURED = 2.0  # s over which the rate is measured
VIEW = {"axes": "blender", "space": "world", "layout": "matrix"}


class Link:
    """A connection that reconnects by itself, and the newest frame of each character that is followed.

    state       "offline", "connecting", "connected", or "lost" while it reconnects
    connection  counts the connections that were made: what belongs to a connection is gone with it
    message     what went wrong last, in words; "" when nothing has
    characters  the names of the server's characters, in order of spawning
    frames      the newest frame of each followed character
    rate        frames a second that were shown, of one character
    latency     s between a tick and the frame that is shown; None without one
    skipped     ticks that were not shown since following began
    loads       counts the scripts that were loaded: characters may have begun anew
    """

    def __init__(self) -> None:
        self._loop: Optional[asyncio.AbstractEventLoop] = None
        self._client: Optional[aio.Client] = None
        self._tasks: set[asyncio.Task[Any]] = set()
        self._view: Optional[aio.View] = None
        self._reader: Optional[asyncio.Task[Any]] = None
        self._followed: tuple[str, ...] = ()
        self._has_failed = False  # the subscription to them: it is made again over the next connection
        self._subscribing = asyncio.Lock()
        self._ticks: dict[str, int] = {}
        self._shown: deque[float] = deque()
        self.state = "offline"
        self.connection = 0
        self.address = ""
        self.message = ""
        self.hello: dict[str, Any] = {}
        self.characters: list[str] = []
        self.frames: dict[str, Frame] = {}
        self.events: deque[Event] = deque(maxlen=1000)
        self.loads = 0
        self.latency: Optional[float] = None
        self.skipped = 0

    # --- what the add-on calls ---

    @property
    def client(self) -> aio.Client:
        """The client of the project's Python package; raises Disconnected without one."""
        if self._client is None or self.state != "connected":
            raise Disconnected("not connected" if self.state == "offline" else f"not connected to {self.address} now")
        return self._client

    @property
    def tick_rate(self) -> float:
        return float(self.hello.get("tick_rate", 60))

    @property
    def rate(self) -> float:
        while self._shown and self._shown[0] < time.monotonic() - MEASURED:
            self._shown.popleft()
        return len(self._shown) / MEASURED / max(1, len(self._followed))

    def connect(self, host: str, port: int, token: Optional[str] = None) -> None:
        """Begins to connect; `poll` goes on with it, and `state` and `message` say how it went."""
        self.disconnect()
        self._loop, self._subscribing = asyncio.SelectorEventLoop(), asyncio.Lock()
        self.address, self.state, self.message = f"{host}:{port}", "connecting", ""
        self._spawn(self._connect(token or None))

    def disconnect(self) -> None:
        """Closes the connection."""
        loop, client = self._loop, self._client
        if loop is None:
            return
        self._client = self._view = self._reader = None
        loop.run_until_complete(self._close(client))
        loop.close()
        self._loop, self._followed = None, ()
        self.state, self.hello = "offline", {}
        self._forget()

    def poll(self) -> None:
        """Reads and writes what can be read and written at once; never waits."""
        if self._loop is not None:
            for _ in range(TURNS):
                self._loop.call_soon(self._loop.stop)
                self._loop.run_forever()

    def wait(self, coroutine: Coroutine[Any, Any, T], timeout: float = REQUEST_WITHIN) -> T:
        """Waits for a coroutine of the client. Raises as it does, or TimeoutError."""
        if self._loop is None:
            coroutine.close()
            raise Disconnected("not connected")
        try:
            return self._loop.run_until_complete(asyncio.wait_for(coroutine, timeout))
        except asyncio.TimeoutError:
            raise TimeoutError(f"no reply within {timeout:g} s") from None

    def request(self, method: str, **params: Any) -> Any:
        """Sends a request and waits for its result."""
        return self.wait(self.client.request(method, **params))

    def start(self, coroutine: Coroutine[Any, Any, T], done: Optional[Callable[[T], None]] = None) -> None:
        """Runs a coroutine of the client beside; what it raises becomes the message."""
        async def run() -> None:
            try:
                result = await coroutine
            except (TweedError, OSError, TimeoutError, ValueError) as error:
                self.message = in_words(error, self.address)
            else:
                if done is not None:
                    done(result)
        self._spawn(run())

    def follow(self, names: set[str]) -> None:
        """Subscribes to the frames of these characters, and to no others."""
        wanted = tuple(sorted(names))
        if self.state != "connected" or wanted == self._followed:
            return
        self._followed = wanted
        self._shown.clear()
        self._ticks.clear()
        self.skipped, self.latency = 0, None
        self.start(self._subscribe(wanted))

    def shown(self, frame: Frame) -> None:
        """Counts a frame as shown."""
        before = self._ticks.get(frame.character)
        if before == frame.tick:
            return
        if before is not None:
            self.skipped += max(0, frame.tick - before - 1)
        self._ticks[frame.character] = frame.tick
        self._shown.append(time.monotonic())

    async def root(self, character: str, bone: str) -> tuple[list[float], list[float]]:
        """Returns a bone's matrices of one tick, in the world and from the character's root."""
        views = [await self.client.subscribe(**{**VIEW, "space": space}, characters=[character], bones=[bone],
                                             static=False, policy="queue", precision=7) for space in ("world", "model")]
        seen: list[dict[int, list[float]]] = [{}, {}]
        try:
            while not seen[0].keys() & seen[1].keys():
                earlier = min((0, 1), key=lambda n: max(seen[n], default=-1))
                frame = await views[earlier].__anext__()
                seen[earlier][frame.tick] = frame.bones[0]
        finally:
            for view in views:
                await view.unsubscribe()
        tick = max(seen[0].keys() & seen[1].keys())
        return seen[0][tick], seen[1][tick]

    # --- tasks on the loop ---

    def _spawn(self, coroutine: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        if self._loop is None:
            coroutine.close()
            raise Disconnected("not connected")
        task = self._loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _connect(self, token: Optional[str]) -> None:
        try:
            client = await aio.connect(self.address, token=token, name="blender")
        except (TweedError, OSError, TimeoutError, ValueError) as error:
            self.state, self.message = "offline", in_words(error, self.address)
            return
        self._client = client
        self._spawn(self._read_events(client.events()))
        await self._connected()
        self._spawn(self._ping())

    async def _close(self, client: Optional[aio.Client]) -> None:
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if client is not None:
            await client.close()
        await asyncio.sleep(0)  # the transport closes its socket in the next turn

    async def _connected(self) -> None:
        assert self._client is not None
        self.state, self.message, self.hello = "connected", "", self._client.hello
        self.connection += 1
        if self._has_failed:
            self._followed, self._has_failed = (), False
        self.characters = [entry["name"] for entry in await self._client.request("character.list")]

    async def _read_events(self, events: aio.Events) -> None:
        try:
            async for event in events:
                try:
                    await self._event(event)
                except TweedError as error:  # lost again meanwhile, as the next event says
                    self.message = in_words(error, self.address)
        except TweedError as error:
            self.message = in_words(error, self.address)
        self.state = "offline"
        self._forget()

    async def _event(self, event: Event) -> None:
        self.events.append(event)
        name = event.params.get("character", "")
        if event.method == "connection.lost":
            self.state, self.message = "lost", f"lost {self.address}: {event.params['reason']}; connecting again"
            self._forget()
        elif event.method == "connection.restored":
            await self._connected()
        elif event.method == "character.spawned" and name not in self.characters:
            self.characters.append(name)
        elif event.method == "character.removed" and name in self.characters:
            self.characters.remove(name)
            self.frames.pop(name, None)
        elif event.method in ("script.failed", "script.suspended"):
            self.message = f"{event.params['script']}: {event.params['message']}"
        elif event.method == "script.loaded":
            self.loads += 1
            if self._is_about(event.params["script"]):
                self.message = ""
        elif event.method == "log" and event.params["level"] == "error":
            self.message = event.params["message"]

    def _is_about(self, script: str) -> bool:
        """Whether the message is of a script's failure, as an event or as the reply to a request."""
        return self.message.startswith(f"{script}: ") or f"{script}.lua:" in self.message

    async def _subscribe(self, names: tuple[str, ...]) -> None:
        async with self._subscribing:
            if names != self._followed:
                return  # others are wanted by now
            try:
                await self._change_view(names)
            except TweedError:
                self._has_failed = names == self._followed
                raise

    async def _change_view(self, names: tuple[str, ...]) -> None:
        if self._reader is not None:
            self._reader.cancel()
        before, self._view, self._reader = self._view, None, None
        if before is not None:
            await before.unsubscribe()
        if names:
            self._view = await self.client.subscribe(**VIEW, characters=list(names))
            self._reader = self._spawn(self._read_frames(self._view))
        self.frames = {name: frame for name, frame in self.frames.items() if name in names}

    async def _read_frames(self, view: aio.View) -> None:
        try:
            async for frame in view:
                self.frames[frame.character] = frame
        except TweedError as error:
            self.message = in_words(error, self.address)

    async def _ping(self) -> None:
        while True:
            await asyncio.sleep(PING_EVERY)
            sent = time.monotonic()
            try:
                tick = (await self.client.request("session.ping"))["tick"]
            except TweedError:
                continue
            if self._ticks:
                behind = max(0, tick - max(self._ticks.values())) / self.tick_rate
                self.latency = behind + (time.monotonic() - sent) / 2

    def _forget(self) -> None:
        self.characters, self.latency = [], None
        self.frames.clear()
        self._ticks.clear()


def in_words(error: BaseException, address: str) -> str:
    """Says what went wrong to someone who has never heard of sockets."""
    if isinstance(error, ConnectionRefusedError):
        return f"nothing listens at {address}: is tweed running there?"
    if isinstance(error, NotAllowed):
        return f"the server does not allow it: {error.message}"
    if isinstance(error, NotNow):
        return f"the server is busy: {error.message}"
    if isinstance(error, WrongProtocol):
        return f"the server speaks another version: {error.message}"
    if isinstance(error, (RequestError, ValueError, TimeoutError)) and str(error):
        return str(error)
    if isinstance(error, Disconnected):
        return f"{error}"
    if isinstance(error, OSError):
        return f"no connection to {address}: {error.strerror or error}"
    return f"{type(error).__name__}: {error}"
