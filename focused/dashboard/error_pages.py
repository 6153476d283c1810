"""Answers in one sentence if a view fails, with the usual headers: files of strangers may break any rule."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

logger = logging.getLogger(__name__)


class ErrorPages:
    """ASGI middleware that answers where a view fails; the fault is in the log of the dashboard."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        is_begun = False

        async def watched(message: Message) -> None:
            nonlocal is_begun
            is_begun = True
            await send(message)

        try:
            await self._app(scope, receive, watched)
        except Exception as error:
            if is_begun:
                raise
            await _answer(error)(scope, receive, send)


def _answer(error: Exception) -> PlainTextResponse:
    if isinstance(error, ClientDisconnect):  # so ends a form that is larger than it may be
        return PlainTextResponse("That is too much, or it did not come to its end.\n", 413)
    logger.error("A view has failed", exc_info=error)
    what = type(error).__name__
    return PlainTextResponse(
        f"This cannot be shown: a file of the run is not as it should be ({what}), or there is a fault in the dashboard, "
        "whose log says more.\n",
        500,
    )
