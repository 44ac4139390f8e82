"""An estimate of the server's clock."""
from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Optional


@dataclass(frozen=True)
class Clock:
    """An estimate of the server's monotonic clock.

    offset  seconds to add to `time.monotonic()`
    error   largest error of the offset, in seconds: half the round trip of the best ping
    """

    offset: float
    error: float

    @staticmethod
    def of(samples: list[tuple[float, float, float]]) -> Clock:
        """From pings (sent, the server's clock, received), in seconds; the fastest counts (Cristian, 1989)."""
        sent, server, received = min(samples, key=lambda sample: sample[2] - sample[0])
        return Clock(offset=server - (sent + received) / 2, error=(received - sent) / 2)

    def now(self, local: Optional[float] = None) -> float:
        """Returns the server's clock at `local`, a value of `time.monotonic()`; default: now."""
        return (time.monotonic() if local is None else local) + self.offset
