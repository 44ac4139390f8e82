"""Connecting: the address, and the server's first line."""
from __future__ import annotations

import asyncio
import json
import socket
from typing import Any, Awaitable

from .errors import Disconnected, RequestError

LONGEST_LINE = 1 << 28  # bytes; a description with all its meshes is one line
HELLO_WITHIN = 10.0  # s
NODE_WITHIN = 2.0  # s; the same, where there are others to try
ANSWER_WITHIN = 10.0  # s; of the requests that set a connection up
UNSENT_BYTES = 1 << 14  # that the system buffers besides the bytes on their way

Connection = tuple[dict[str, Any], asyncio.StreamReader, asyncio.StreamWriter]


async def open_connection(address: str, is_one_of_several: bool = False) -> Connection:
    """Connects, and returns the parameters of server.hello with the streams of the connection."""
    within = min(NODE_WITHIN, HELLO_WITHIN) if is_one_of_several else HELLO_WITHIN
    try:
        return await asyncio.wait_for(_open(address), within)
    except asyncio.TimeoutError:
        raise Disconnected(f"no hello from {address} within {within:g} s") from None


async def _open(address: str) -> Connection:
    if "/" in address:
        reader, writer = await asyncio.open_unix_connection(address, limit=LONGEST_LINE)
    else:
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise ValueError(f'expected HOST:PORT or the path of a Unix socket, with a slash, found "{address}"')
        reader, writer = await asyncio.open_connection(host.strip("[]"), int(port), limit=LONGEST_LINE)
        _prepare(writer.get_extra_info("socket"))
    try:
        return await _hello(address, reader), reader, writer
    except BaseException:
        writer.close()
        raise


async def _hello(address: str, reader: asyncio.StreamReader) -> dict[str, Any]:
    try:
        message = json.loads(await reader.readline())
    except ValueError:
        message = None
    if isinstance(message, dict) and isinstance(message.get("error"), dict):
        raise RequestError.of(message["error"])
    if not isinstance(message, dict) or message.get("method") != "server.hello":
        raise Disconnected(f"{address} is no tweed server")
    params = message.get("params")
    limits = params.get("limits") if isinstance(params, dict) else None
    if not isinstance(params, dict) or not isinstance(limits, dict) or not isinstance(limits.get("message_bytes"), int):
        raise Disconnected(f"{address} sent a hello without limits")
    return params


async def in_time(request: Awaitable[Any]) -> Any:
    """The answer to a request that sets a connection up. A server that says nothing is as good as none."""
    try:
        return await asyncio.wait_for(request, ANSWER_WITHIN)
    except asyncio.TimeoutError:
        raise Disconnected(f"no answer within {ANSWER_WITHIN:g} s") from None


def _prepare(connection: socket.socket) -> None:
    """Sets socket options where the system has them: a dead peer is noticed within about ten seconds, and data that a
    busy server does not read yet, such as poses, waits in the program and does not grow old in the system's buffers."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = ("TCP_KEEPIDLE", 5), ("TCP_KEEPINTVL", 2), ("TCP_KEEPCNT", 3), ("TCP_NOTSENT_LOWAT", UNSENT_BYTES)
    for option, value in options:
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)
