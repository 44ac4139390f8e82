"""The exceptions of this package. All are subclasses of TweedError."""
from __future__ import annotations

from typing import Any, Optional


class TweedError(Exception):
    """The base class of all exceptions of this package."""


class Disconnected(TweedError, ConnectionError):
    """The connection is lost: before a reply came, or until the client has connected again."""


class Overrun(TweedError):
    """An iterator was not read for too long, and too many items wait in it."""


class RequestError(TweedError):
    """The server refused a request; nothing of it took effect. `str` contains message, code and path.

    code     number of JSON-RPC, or of tweed (-32001 and below)
    message  what was expected, and what was found
    path     the field at fault, such as "params.bones.hips.rotation[2]"; None without one
    data     all data of the error
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
        """Returns the exception for a JSON-RPC error object, of the subclass for its code."""
        return _BY_CODE.get(error["code"], RequestError)(error)


class InvalidParams(RequestError):
    """-32602: `path` names the parameter."""


class NotFound(RequestError):
    """-32001: there is no character, fabric, garment, clip or view of that name."""


class NotAllowed(RequestError):
    """-32002: the role does not allow it, or a token is needed."""


class NotNow(RequestError):
    """-32003: the server is busy, a limit is reached, or the simulation must be paused."""


class ScriptError(RequestError):
    """-32004: the character's script raised an error; `traceback` is Lua's."""

    @property
    def traceback(self) -> str:
        return str(self.data.get("traceback", ""))


class WrongProtocol(RequestError):
    """-32010: the server speaks another version of the protocol."""


_BY_CODE: dict[int, type[RequestError]] = {
    -32602: InvalidParams, -32001: NotFound, -32002: NotAllowed, -32003: NotNow, -32004: ScriptError,
    -32010: WrongProtocol,
}
