"""What can go wrong. Every exception of this package is a TweedError."""
from __future__ import annotations

from typing import Any, Optional


class TweedError(Exception):
    """The base of all below."""


class Disconnected(TweedError, ConnectionError):
    """There is no connection: it was lost before the reply came, or is being made anew."""


class Overrun(TweedError):
    """An iterator was left unread until too much waited in it."""


class RequestError(TweedError):
    """The server's answer to a request that it did not carry out; nothing of it took effect. `str` tells all three.

    code     JSON-RPC's number, or tweed's (-32001 and below)
    message  what was expected, and what was found
    path     the field to blame, as "params.bones.hips.rotation[2]"; None where no field is
    data     all that came with it
    """

    def __init__(self, error: dict[str, Any]) -> None:
        self.code: int = error["code"]
        self.message: str = error["message"]
        self.data: dict[str, Any] = error.get("data") or {}
        self.path: Optional[str] = self.data.get("path")
        where = f", {self.path}" if self.path and self.path not in self.message else ""
        super().__init__(f"{self.message} ({self.code}{where})")

    @staticmethod
    def of(error: dict[str, Any]) -> RequestError:
        """The exception for a JSON-RPC error object: a subclass where its code has one."""
        return _BY_CODE.get(error["code"], RequestError)(error)


class InvalidParams(RequestError):
    """-32602: `path` names the parameter."""


class NotFound(RequestError):
    """-32001: no character, fabric, garment, clip or view of that name."""


class NotAllowed(RequestError):
    """-32002: not with this role, or not without a token."""


class NotNow(RequestError):
    """-32003: busy, at a limit, or not while the simulation runs."""


class ScriptError(RequestError):
    """-32004: the character's script failed; `traceback` is Lua's."""

    @property
    def traceback(self) -> str:
        return str(self.data.get("traceback", ""))


class WrongProtocol(RequestError):
    """-32010: the server speaks another version of the protocol."""


_BY_CODE: dict[int, type[RequestError]] = {
    -32602: InvalidParams, -32001: NotFound, -32002: NotAllowed, -32003: NotNow, -32004: ScriptError,
    -32010: WrongProtocol,
}
