"""A client of tweed, the server that simulates characters' clothes.

    import tweed

    with tweed.connect() as server:
        server.request("character.play", character="alan", clip="walk", loop=True)
        for frame in server.subscribe(bones=["jacket_7_*"], layout="trs"):
            print(frame.tick, frame["jacket_7_0"])

`tweed.connect` blocks; `tweed.aio.connect` is the same for asyncio. Methods and their parameters are those of
protocol/openrpc.json. Units are metres, seconds and radians, with +Y up, unless a view asks for other axes.
"""
from . import aio
from .blocking import Client, Driver, Events, Motion, View, connect
from .clock import Clock
from .errors import (Disconnected, InvalidParams, NotAllowed, NotFound, NotNow, Overrun, RequestError, ScriptError,
                     TweedError, WrongProtocol)
from .frames import Event, Frame, Static
from .interpolation import Timeline, blend

__all__ = ["aio", "blend", "connect", "Client", "Clock", "Disconnected", "Driver", "Event", "Events", "Frame",
           "InvalidParams", "Motion", "NotAllowed", "NotFound", "NotNow", "Overrun", "RequestError", "ScriptError",
           "Static", "Timeline", "TweedError", "View", "WrongProtocol"]
