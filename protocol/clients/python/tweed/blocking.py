"""The blocking client: the asyncio client on a thread of its own."""
from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Generic, Optional, TypeVar

from . import aio
from .clock import Clock
from .driver import Pose
from .errors import Disconnected
from .frames import Event, Frame, Static

T = TypeVar("T")


def connect(address: str = aio.DEFAULT_ADDRESS, *, token: Optional[str] = None, role: Optional[str] = None,
            name: Optional[str] = None, events: bool = True, reconnect: bool = True,
            timeout: Optional[float] = None, keepalive: Optional[float] = 5.0) -> Client:
    """Connects to a server: parameters and errors are those of `tweed.aio.connect`."""
    loop = Loop()
    try:
        return Client(loop.wait(aio.connect(address, token=token, role=role, name=name, events=events,
                                            reconnect=reconnect, timeout=timeout, keepalive=keepalive)), loop)
    except BaseException:
        loop.stop()
        raise


class Loop:
    """An event loop on a thread that ends with the program."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._lock = threading.Lock()
        self.running = True
        self._thread = threading.Thread(target=self._loop.run_forever, name="tweed", daemon=True)
        self._thread.start()

    def wait(self, coroutine: Coroutine[Any, Any, T], timeout: Optional[float] = None) -> T:
        with self._lock:
            if not self.running:
                coroutine.close()
                raise Disconnected("closed")
            future = asyncio.run_coroutine_threadsafe(asyncio.wait_for(coroutine, timeout), self._loop)
        try:
            return future.result()
        except asyncio.TimeoutError as error:
            raise TimeoutError(*(error.args or [f"nothing within {timeout} s"])) from None
        except KeyboardInterrupt:
            future.cancel()
            raise

    def stop(self) -> None:
        """Ends the thread after waiting calls of other threads have returned."""
        with self._lock:
            if not self.running:
                return
            self.running = False
            asyncio.run_coroutine_threadsafe(self._finish(), self._loop)
        self._thread.join()
        self._loop.close()

    async def _finish(self) -> None:
        others = asyncio.all_tasks() - {asyncio.current_task()}
        if others:
            _, late = await asyncio.wait(others, timeout=1)
            for task in late:
                task.cancel()
        self._loop.call_soon(self._loop.stop)


class Client:
    """A connection, made by `connect`. Usable as `with`, which closes it, and from several threads."""

    def __init__(self, client: aio.Client, loop: Loop) -> None:
        self._client = client
        self._loop = loop

    @property
    def hello(self) -> dict[str, Any]:
        """The parameters of server.hello: version, tick_rate, limits, …"""
        return self._client.hello

    @property
    def role(self) -> str:
        """"observer" or "operator"."""
        return self._client.role

    @property
    def address(self) -> str:
        """The server's address; in a cluster it may be another node's after a reconnection."""
        return self._client.address

    @property
    def nodes(self) -> list[str]:
        """The addresses of the cluster's nodes; [] without a cluster."""
        return list(self._client.nodes)

    @property
    def closed(self) -> bool:
        """Whether the client is closed, or has lost its connection without `reconnect`."""
        return self._client.closed

    def request(self, method: str, /, **params: Any) -> Any:
        """Sends a request and returns the result: see `tweed.aio.Client.request`."""
        return self._loop.wait(self._client.request(method, **params))

    def batch(self, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        """Sends several requests in one message: see `tweed.aio.Client.batch`."""
        return self._loop.wait(self._client.batch(*calls))

    def notify(self, method: str, /, **params: Any) -> None:
        """Sends a notification: see `tweed.aio.Client.notify`."""
        self._loop.wait(self._client.notify(method, **params))

    def drive(self, character: str, *, space: str = "parent", ignore_unknown: bool = False) -> Driver:
        """Returns a driver of the character's bones: see `tweed.aio.Client.drive`."""
        return Driver(self._client.drive(character, space=space, ignore_unknown=ignore_unknown), self._loop)

    def spawn(self, script: str, **options: Any) -> str:
        """Spawns a character and returns its name: see `tweed.aio.Client.spawn`."""
        return self._loop.wait(self._client.spawn(script, **options))

    def remove(self, character: str) -> None:
        """Removes a character."""
        self._loop.wait(self._client.remove(character))

    def subscribe(self, **view: Any) -> View:
        """Subscribes to a view and returns an iterator of frames: see `tweed.aio.Client.subscribe`."""
        return View(self._loop.wait(self._client.subscribe(**view)), self._loop)

    def events(self, *methods: str) -> Events:
        """Returns an iterator of events from now on: those of these names, or all."""
        async def events() -> aio.Events:
            return self._client.events(*methods)
        return Events(self._loop.wait(events()), self._loop)

    def clock(self, samples: int = 8) -> Clock:
        """Estimates the server's clock from the fastest of several pings."""
        return self._loop.wait(self._client.clock(samples))

    def close(self) -> None:
        """Closes the connection and ends all iterators."""
        if self._loop.running:
            self._loop.wait(self._client.close())
            self._loop.stop()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()


class Driver:
    """Poses bones of a character: see `tweed.aio.Driver`. Usable as `with`, which releases them."""

    def __init__(self, driver: aio.Driver, loop: Loop) -> None:
        self._driver = driver
        self._loop = loop

    @property
    def sequence(self) -> int:
        return self._driver.sequence

    def pose(self, bones: Pose, *, teleport: bool = False) -> Optional[int]:
        """Sends a pose and returns its number; raises the error of an earlier pose: see `tweed.aio.Driver.pose`."""
        async def pose() -> Optional[int]:
            return await self._driver.pose(bones, teleport=teleport)
        return self._loop.wait(pose())

    def release(self, *bones: str) -> None:
        """Releases these bones to the character's script, or all bones."""
        self._loop.wait(self._driver.release(*bones))

    def __enter__(self) -> Driver:
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self._loop.wait(self._driver.__aexit__(kind, error, trace))


class Iterator(Generic[T]):
    """A blocking iterator over an asynchronous one."""

    def __init__(self, source: Any, loop: Loop) -> None:
        self._source = source
        self._loop = loop

    def __iter__(self) -> Iterator[T]:
        return self

    def __next__(self) -> T:
        return self.next()

    def next(self, timeout: Optional[float] = None) -> T:
        """Returns the next item. Raises TimeoutError after `timeout` seconds, StopIteration at the end."""
        async def step() -> T:
            item: T = await self._source.__anext__()
            return item
        if not self._loop.running:
            raise StopIteration
        try:
            return self._loop.wait(step(), timeout)
        except StopAsyncIteration:
            raise StopIteration from None


class Events(Iterator[Event]):
    """Events as they come: see `tweed.aio.Events`."""

    def close(self) -> None:
        async def close() -> None:
            self._source.close()
        self._loop.wait(close())


class View(Iterator[Frame]):
    """A subscription as an iterator of frames: see `tweed.aio.View`."""

    @property
    def number(self) -> int:
        return int(self._source.number)

    @property
    def parameters(self) -> dict[str, Any]:
        return dict(self._source.parameters)

    @property
    def characters(self) -> list[str]:
        return list(self._source.characters)

    @property
    def static(self) -> dict[str, Static]:
        return dict(self._source.static)

    def update(self, **changes: Any) -> None:
        """Changes parameters of the view."""
        self._loop.wait(self._source.update(**changes))

    def unsubscribe(self) -> None:
        """Ends the subscription."""
        self._loop.wait(self._source.unsubscribe())

    def interpolated(self, delay: float = 0.1, rate: float = 60.0) -> Motion:
        """Motion between frames: see `tweed.aio.View.interpolated`."""
        async def interpolated() -> aio.Motion:
            motion: aio.Motion = self._source.interpolated(delay, rate)
            return motion
        return Motion(self._loop.wait(interpolated()), self._loop)


class Motion(Iterator[dict[str, Frame]]):
    """Interpolated frames of a view: see `tweed.aio.Motion`."""

    def sample(self) -> dict[str, Frame]:
        """Returns all characters at the present moment; {} before the first frame."""
        async def sample() -> dict[str, Frame]:
            characters: dict[str, Frame] = self._source.sample()
            return characters
        return self._loop.wait(sample())
