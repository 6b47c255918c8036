"""Connections of the server: one whose request does not come to its end is hung up on, so that it keeps nobody out."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 5.0  # seconds for a request to arrive whole
MOST_WAITING = 32  # connections without a whole request; the oldest must make room for the next


class PatientProtocol(H11Protocol):
    """uvicorn's, which would wait for the end of a request for ever."""

    _waiting: ClassVar[dict[PatientProtocol, asyncio.TimerHandle]] = {}  # the oldest first

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._wait()
        else:
            self._stop_waiting()

    def _wait(self) -> None:
        """Begin to wait, unless that has begun: a byte now and then gives no more time."""
        if self in self._waiting or self.transport.is_closing():
            return
        self._waiting[self] = self.loop.call_later(PATIENCE, self._hang_up)
        if len(self._waiting) > MOST_WAITING:
            next(iter(self._waiting))._hang_up()

    def _stop_waiting(self) -> None:
        timer = self._waiting.pop(self, None)
        if timer is not None:
            timer.cancel()

    def _hang_up(self) -> None:
        self._stop_waiting()
        self.transport.abort()
