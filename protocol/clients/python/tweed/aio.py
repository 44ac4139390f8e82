"""The asyncio client: one connection, its requests, events and views. It belongs to the event loop that made it."""
from __future__ import annotations

import asyncio
import itertools
import json
import logging
import os
import random
import time
from collections.abc import AsyncIterator
from types import TracebackType
from typing import Any, Callable, Optional, Union

from .clock import Clock
from .driver import Driver
from .errors import Disconnected, NotAllowed, NotNow, RequestError, TweedError
from .frames import Event
from .stream import Events, Motion, View
from .wire import LONGEST_LINE, in_time, open_connection

__all__ = ["Client", "Driver", "Events", "Motion", "View", "connect"]

DEFAULT_ADDRESS = "127.0.0.1:7601"
BACKOFF = (0.1, 5.0)  # s before the first and before the later attempts to connect again; doubled in between
NODES_EVERY = 5.0  # s between two questions for the nodes of a cluster
LOOKS = 4  # at what has come, within the time that a server may be silent
CHUNK_BYTES = 1 << 18  # read at once

log = logging.getLogger("tweed")


async def connect(address: str = DEFAULT_ADDRESS, *, token: Optional[str] = None, role: Optional[str] = None,
                  name: Optional[str] = None, events: bool = True, reconnect: bool = True,
                  timeout: Optional[float] = None, keepalive: Optional[float] = 5.0) -> Client:
    """Connects to a server.

    address    "HOST:PORT", or the path of a Unix socket, which contains a slash
    token      sent to servers that need one, and to no other; default: TWEED_TOKEN in the environment
    role       "observer" or "operator"; default: the role that the token, or a loopback address, gives
    name       name in server.stats, 1 to 128 bytes
    events     whether the server sends events. Without them the client does not hear of characters that are removed:
               views keep their static data, and interpolated motion goes on with their last frame
    reconnect  whether the client connects again when the connection is lost: after 0.1 s, then twice as long each time
               up to 5 s. Views are subscribed again; waiting requests fail with Disconnected; a pause is lost. In a
               cluster the client asks for the nodes every 5 s. It tries the node that it was connected to, and then
               the others in any order, with the same token
    timeout    seconds to wait for each reply; None (default) waits as long as the connection lives
    keepalive  seconds without a byte from the server after which the connection counts as lost, though it is open: the
               server is frozen, or a cable is cut. After half of them the client sends session.ping. In a cluster it
               tries the other nodes first. None never gives a connection up that is open

    Raises ValueError for a wrong address, OSError if nothing listens there, Disconnected if no tweed server answers
    within 10 s, and RequestError if the server refuses: NotNow at its limit of clients, NotAllowed or WrongProtocol.
    """
    session = {"client": name, "role": role, "events": None if events else False}
    client = Client(address, token, {key: value for key, value in session.items() if value is not None}, reconnect,
                    timeout, keepalive)
    await client._dial()
    return client


class Client:
    """A connection, made by `connect`. Usable as `async with`, which closes it.

    hello    the parameters of server.hello: version, tick_rate, limits, …
    role     "observer" or "operator"
    address  of the server; in a cluster it may be another node's after a reconnection
    nodes    the addresses of the cluster's nodes, soon after the connection is made; [] without a cluster
    """

    def __init__(self, address: str, token: Optional[str], session: dict[str, Any], reconnect: bool,
                 timeout: Optional[float], keepalive: Optional[float]) -> None:
        self.hello: dict[str, Any] = {}
        self.role = ""
        self.address = self._given = address
        self.nodes: list[str] = []
        self._token = token
        self._session = session
        self._reconnect = reconnect
        self._timeout = timeout
        self._keepalive = keepalive
        self._heard = 0  # chunks of bytes from the server
        self._silence: Optional[Disconnected] = None  # why the connection was given up
        self._ids = itertools.count(1)
        self._writer: Optional[asyncio.StreamWriter] = None
        self._waiting: dict[int, tuple[asyncio.Future[Any], Optional[Callable[[Any], None]]]] = {}
        self._views: dict[int, View] = {}  # by the server's number
        self._events: list[Events] = []
        self._ready = self._closed = False
        self._tasks: set[asyncio.Task[None]] = set()

    async def request(self, method: str, /, **params: Any) -> Any:
        """Sends a request and returns the result. Parameters are those of protocol/openrpc.json.

        Raises RequestError or a subclass if the server refuses; Disconnected without a connection, or if it is lost
        before the reply (the request may have been carried out); TimeoutError after `timeout`; ValueError if the
        request is longer than the server takes, or contains NaN.
        """
        self._require()
        return await self._request(method, params)

    async def batch(self, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
        """Sends several requests in one message. They take effect in order and in one tick, up to 256 of them: the
        server serves no more requests of a connection between two ticks.

        Returns the results in order, with a RequestError in place of each result that the server refuses. Raises
        otherwise as `request`.
        """
        self._require()
        loop = asyncio.get_running_loop()
        futures: dict[int, asyncio.Future[Any]] = {next(self._ids): loop.create_future() for _ in calls}
        self._waiting.update((number, (future, None)) for number, future in futures.items())
        try:
            if calls:
                await self._send([_message(method, params, number) for number, (method, params) in zip(futures, calls)])
            answers = asyncio.gather(*futures.values(), return_exceptions=True)
            results = list(await asyncio.wait_for(answers, self._timeout))
        except asyncio.TimeoutError:
            raise TimeoutError(f"no reply to the batch within {self._timeout} s") from None
        finally:
            for number in futures:
                self._waiting.pop(number, None)
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, RequestError):
                raise result
        return results

    async def notify(self, method: str, /, **params: Any) -> None:
        """Sends a notification, which gets no reply. Raises as `request`."""
        self._require()
        await self._send(_message(method, params))

    def drive(self, character: str, *, space: str = "parent", ignore_unknown: bool = False) -> Driver:
        """Returns a driver that poses the character's bones in their parents' space or in "model" space.

        With `ignore_unknown`, a pose ignores bones that the character does not have; otherwise they are an error.
        """
        return Driver(self, character, space, ignore_unknown)

    async def spawn(self, script: str, **options: Any) -> str:
        """Spawns a character and returns its name; `options` are `name`, `position` and so on."""
        result: dict[str, Any] = await self.request("character.spawn", script=script, **options)
        return str(result["name"])

    async def remove(self, character: str) -> None:
        """Removes a character (`character.remove`)."""
        await self.request("character.remove", character=character)

    async def subscribe(self, **view: Any) -> View:
        """Subscribes to a view (`stream.subscribe`) and returns an iterator of its frames.

        A slow reader gets the newest frame of each character; with `policy="queue"` it gets all frames. A view that
        equals an earlier one of this connection replaces it, and the earlier one ends.
        """
        self._require()
        subscription = View(self, view)
        await self._subscribe(subscription)
        return subscription

    def events(self, *methods: str) -> Events:
        """Returns an iterator of events from now on: those of these names, or all."""
        events = Events(methods, self._events)
        if self._closed:
            events.end()
        return events

    async def clock(self, samples: int = 8) -> Clock:
        """Estimates the server's clock from the fastest of several pings."""
        times = []
        for _ in range(samples):
            sent = time.monotonic()
            server = (await self.request("session.ping"))["monotonic"]
            times.append((sent, server, time.monotonic()))
        return Clock.of(times)

    async def close(self) -> None:
        """Closes the connection and ends all iterators."""
        self._closed = True
        tasks = [task for task in self._tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._drop(Disconnected("closed"))
        self._end(None)

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.close()

    # --- requests ---

    async def _request(self, method: str, params: dict[str, Any],
                       accept: Optional[Callable[[Any], None]] = None) -> Any:
        """Calls `accept` with the result before the next message is read: frames follow a subscription at once."""
        number = next(self._ids)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[number] = future, accept
        try:
            await self._send(_message(method, params, number))
            return await asyncio.wait_for(future, self._timeout)
        except asyncio.TimeoutError:
            raise TimeoutError(f"no reply to {method} within {self._timeout} s") from None
        finally:
            self._waiting.pop(number, None)

    def _post(self, method: str, params: dict[str, Any], refused: Callable[[RequestError], None]) -> None:
        """Sends a request without waiting for its reply. Calls `refused` if the reply is an error."""
        self._require()
        number = next(self._ids)

        def replied(future: asyncio.Future[Any]) -> None:
            self._waiting.pop(number, None)
            error = future.exception()
            if isinstance(error, RequestError):
                refused(error)
        self._write(_message(method, params, number))
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(replied)
        self._waiting[number] = future, None

    async def _send(self, message: Union[dict[str, Any], list[dict[str, Any]]]) -> None:
        self._write(message)
        await self._drain()

    def _write(self, message: Union[dict[str, Any], list[dict[str, Any]]]) -> None:
        line = json.dumps(message, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode() + b"\n"
        if self._writer is None:
            raise Disconnected(f"not connected to {self.address}")
        most = self.hello["limits"]["message_bytes"]
        if len(line) > most:
            what = message["method"] if isinstance(message, dict) else "the batch"
            raise ValueError(f"{what} is {len(line)} bytes long; the server takes {most}")
        self._writer.write(line)

    async def _drain(self) -> None:
        """Waits until the connection can send more."""
        if self._writer is None:
            raise Disconnected(f"not connected to {self.address}")
        try:
            await self._writer.drain()
        except OSError as error:
            raise Disconnected(str(error)) from error

    async def _subscribe(self, view: View) -> None:
        def accept(result: dict[str, Any]) -> None:
            self._forget(view)
            replaced = self._views.get(result["view"])
            if replaced is not None:
                replaced.end()
            self._views[result["view"]] = view
            view._began(result)
        await self._request("stream.subscribe", view.parameters, accept)

    def _forget(self, view: View) -> bool:
        """Stops passing on frames of a view. Returns whether the view was active and not replaced by an equal one."""
        known = self._views.get(view.number) is view
        if known:
            del self._views[view.number]
        return known

    def _require(self) -> None:
        if not self._ready:
            raise Disconnected(f"not connected to {self.address}")

    # --- the connection ---

    @property
    def closed(self) -> bool:
        """Whether the client is closed, or has lost its connection without `reconnect`."""
        return self._closed

    def _session_params(self) -> dict[str, Any]:
        if self.hello.get("authentication") != "token":
            return {"protocol": 1, **self._session}
        token = self._token or os.environ.get("TWEED_TOKEN")
        if not token:
            message = f"{self.address} asks for a token: expected token=… or TWEED_TOKEN in the environment"
            raise NotAllowed({"code": -32002, "message": message, "data": {"path": "params.token"}})
        return {"protocol": 1, "token": token, **self._session}

    async def _dial(self, is_one_of_several: bool = False) -> None:
        self.hello, reader, self._writer = await open_connection(self.address, is_one_of_several)
        self._silence = None
        reading = self._spawn(self._read(reader))
        try:
            opened = await in_time(self._request("session.open", self._session_params()))
            if not isinstance(opened, dict) or not isinstance(opened.get("role"), str):
                raise Disconnected(f"{self.address} answered session.open without a role")
            self.role = opened["role"]
            views, self._views = list(self._views.values()), {}
            for number, view in enumerate(views):
                try:
                    await in_time(self._subscribe(view))
                except RequestError as error:
                    view.end(error)
                except BaseException:  # lost again: the remaining views wait for the next connection, under any number
                    self._views.update((-1 - n, left) for n, left in enumerate(views[number:]))
                    raise
            if reading.done():
                raise Disconnected("the server closed the connection")
            self._ready = True
        except BaseException:
            reading.cancel()
            self._drop(Disconnected("the connection could not be set up"))
            raise
        if self._keepalive is not None:
            self._spawn(self._keep_alive(self._keepalive))
        if self._reconnect:
            self._spawn(self._learn_nodes())

    async def _keep_alive(self, most: float) -> None:
        """Gives the connection up when the server is silent. Counts looks, not seconds: a program that has stood still
        itself finds what has come meanwhile before it looks again."""
        writer, heard, silent = self._writer, -1, 0
        while True:
            await asyncio.sleep(most / LOOKS)
            if self._writer is not writer or writer is None:
                return
            heard, silent = self._heard, silent + 1 if self._heard == heard else 0
            if silent == LOOKS // 2 and self._ready:
                self._post("session.ping", {}, lambda error: None)
            elif silent >= LOOKS:
                self._silence = Disconnected(f"nothing from {self.address} for {most:g} s")
                return writer.transport.abort()

    async def _learn_nodes(self) -> None:
        """Keeps the list of nodes, as long as this connection lives and the server is in a cluster."""
        writer = self._writer
        while self._writer is writer is not None:
            try:
                described = await in_time(self._request("server.describe", {"cluster": True}))
                self.nodes = [str(node["address"]) for node in described["cluster"]["nodes"]]
            except (TweedError, TimeoutError, LookupError, TypeError) as error:
                log.debug("%s tells no nodes: %s", self.address, error)
                return
            await asyncio.sleep(NODES_EVERY)

    def _addresses(self) -> list[str]:
        """Where the client can go on."""
        others = list({self._given, *self.nodes} - {self.address})
        random.shuffle(others)  # not all clients to one node
        return [self.address, *others] if self._silence is None else [*others, self.address]

    async def _redial(self, reason: Disconnected) -> None:
        self._tell(Event("connection.lost", {"reason": str(reason)}))
        pause, longest = BACKOFF
        while True:
            await asyncio.sleep(pause * random.uniform(0.5, 1))  # not all clients at once
            pause = min(pause * 2, longest)
            addresses = self._addresses()
            for address in addresses:
                self.address = address
                try:
                    await self._dial(len(addresses) > 1)
                except (NotNow, Disconnected, OSError, TimeoutError) as error:
                    log.debug("no connection to %s: %s", address, error)
                except TweedError as error:
                    return self._end(error)
                except Exception as error:  # nothing leaves the client neither connected nor closed
                    log.exception("no connection to %s", address)
                    return self._end(Disconnected(f"{type(error).__name__}: {error}"))
                else:
                    return self._tell(Event("connection.restored", self.hello))

    async def _read(self, reader: asyncio.StreamReader) -> None:
        reason = Disconnected("the server closed the connection")
        try:
            async for line in self._lines(reader):
                self._receive(json.loads(line))
        except Exception as error:  # a message that is not of the protocol ends the connection, too
            reason = Disconnected(f"{type(error).__name__}: {error}")
        finally:
            reason = self._silence or reason
            established, self._ready = self._ready, False
            self._drop(reason)
        if established and not self._closed:
            if self._reconnect:
                self._spawn(self._redial(reason))
            else:
                self._end(reason)

    async def _lines(self, reader: asyncio.StreamReader) -> AsyncIterator[bytes]:
        """The whole lines that come. Part of a line is a sign of life, too."""
        begun: list[bytes] = []
        length = 0
        while chunk := await reader.read(CHUNK_BYTES):
            self._heard += 1
            *ends, rest = chunk.split(b"\n")
            for end in ends:
                yield b"".join((*begun, end))
                begun.clear()
                length = 0
            begun.append(rest)
            length += len(rest)
            if length > LONGEST_LINE:
                raise ValueError(f"a line of more than {LONGEST_LINE} bytes")

    def _receive(self, message: Union[dict[str, Any], list[dict[str, Any]]]) -> None:
        if isinstance(message, list):  # the replies to a batch
            for reply in message:
                self._receive(reply)
            return
        if "method" in message:
            return self._notified(message["method"], message["params"])
        future, accept = self._waiting.get(message["id"], (None, None))
        if "error" in message:
            if future is None:
                log.warning("the server says: %s", message["error"]["message"])
            elif not future.done():
                future.set_exception(RequestError.of(message["error"]))
        elif future is not None and not future.done():
            if accept is not None:
                accept(message["result"])
            future.set_result(message["result"])

    def _notified(self, method: str, params: dict[str, Any]) -> None:
        if method in ("stream.frame", "stream.static"):
            view = self._views.get(params["view"])
            if view is not None:
                (view._framed if method == "stream.frame" else view._described)(params)
            return
        for view in self._views.values():
            if method == "character.removed":
                view._removed(params["character"])
            elif method == "simulation.resumed":
                view._resumed()
        self._tell(Event(method, params))

    def _tell(self, event: Event) -> None:
        for events in list(self._events):
            events._told(event)

    def _drop(self, reason: Disconnected) -> None:
        """The connection is lost: waiting requests fail."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None
        for future, _ in self._waiting.values():
            if not future.done():
                future.set_exception(reason)

    def _end(self, error: Optional[TweedError]) -> None:
        """The connection is lost for good: iterators end, with the error if there is one."""
        self._closed = True
        for view in self._views.values():
            view.end(error)
        for events in list(self._events):
            events.end(error)
        self._views.clear()

    def _spawn(self, coroutine: Any) -> asyncio.Task[None]:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _message(method: str, params: dict[str, Any], number: Optional[int] = None) -> dict[str, Any]:
    message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
    return message if number is None else {**message, "id": number}
