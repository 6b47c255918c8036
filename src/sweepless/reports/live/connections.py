"""Connections of the server; those whose request does not arrive in time are closed, so that they block nobody else."""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

PATIENCE = 5.0  # seconds in which a whole request must arrive
MOST_WAITING = 32  # connections without a whole request; the oldest must make room for the next


class PatientProtocol(H11Protocol):
    """Wait a limited time for a request; uvicorn's own protocol would wait for ever."""

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
        """Start the time limit unless it is running; more bytes of the same request do not extend it."""
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
