"""Bounds the connections of the dashboard's server, so that an idle client cannot keep others out for long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

if TYPE_CHECKING:
    import asyncio

ASK_SECS = 10.0
"""Seconds to wait for a whole request, or for more of its body."""
TAKE_SECS = 30.0
"""Seconds for which a client may read nothing of an answer."""
LOOK_SECS = 2.0
"""Between two looks at a connection."""


class Connection(H11Protocol):
    """A connection that is closed when its client keeps it waiting.

    Of a request the head must come within `ASK_SECS`, since the connection is there or the last answer was given; then parts
    of the body with no longer between them. While an answer is made, or is sent and taken, however slowly, nothing ends it.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to look at the connection."""
        super().connection_made(transport)
        self._heard_at = self._taken_at = self.loop.time()
        self._n_waiting = 0
        self._next_look = self.loop.call_later(LOOK_SECS, self._abort_if_slow)

    def connection_lost(self, exc: Exception | None) -> None:
        """Look no more."""
        self._next_look.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Note that more of a body has come."""
        if self._is_answering():
            self._heard_at = self.loop.time()
        super().data_received(data)

    def on_response_complete(self) -> None:
        """Wait for the next request from now on."""
        self._heard_at = self.loop.time()
        super().on_response_complete()

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _abort_if_slow(self) -> None:
        now, n_waiting = self.loop.time(), self.transport.get_write_buffer_size()
        if not n_waiting or n_waiting < self._n_waiting:
            self._taken_at = now
        self._n_waiting = n_waiting
        is_asking = not n_waiting and (not self._is_answering() or (self.cycle.more_body and not self.flow.read_paused))
        if now - self._taken_at >= TAKE_SECS or (is_asking and now - self._heard_at >= ASK_SECS):
            self.transport.abort()  # what waits to be sent would keep `close` waiting, too
        else:
            self._next_look = self.loop.call_later(LOOK_SECS, self._abort_if_slow)
