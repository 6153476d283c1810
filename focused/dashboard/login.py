"""Asks for the password of a dashboard that other machines can reach. It comes from the environment, never a command line."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections import deque
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import Receive, Scope

VARIABLE = "DASHBOARD_PASSWORD"
LEAST_CHARS = 12
PATH = "/login"
OPEN_PATHS = ("/static/colours.css", "/static/dashboard.css", "/static/icon.svg")
"""What is answered before somebody has said the password: how the form looks."""
MAX_WRONG, _PER_SECS = 10, 60.0
"""After so many wrong passwords in a minute, from all clients together, none is accepted for the rest of it."""
MAX_UNDER_WAY = 5
"""Passwords that may be on their way at a time."""
BODY_SECS = 10.0
"""Seconds to wait for a password that is on its way."""
_MAX_BODY_BYTES = 4_000

_FORM = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Password - Focused</title><link rel="icon" href="/static/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/colours.css"><link rel="stylesheet" href="/static/dashboard.css"></head>
<body><main><h1>Focused</h1>{note}
<form class="fields" method="post" action="/login">
<label>Password <input type="password" name="password" required autocomplete="current-password" autofocus></label>
<button>Open</button></form></main></body></html>
"""


def check_password(password: str) -> str:
    """Return a password; a ValueError says that there is none, or that it is short."""
    if len(password) < LEAST_CHARS:
        got = f"It has {len(password)}." if password else "There is none."
        raise ValueError(
            f"Other machines may ask a dashboard only with a password of at least {LEAST_CHARS} characters, in the "
            f"environment variable {VARIABLE}. {got} Or leave --address out, and tunnel: ssh -L 8088:127.0.0.1:8088 me@server"
        )
    return password


class Login:
    """Answers who has not said the password yet."""

    def __init__(self, password: str) -> None:
        self._password = password.encode()
        self._wrong: deque[float] = deque(maxlen=MAX_WRONG)
        self._n_under_way = 0

    def form(self, note: str = "", status: int = 403) -> Response:
        """Return the form."""
        return HTMLResponse(_FORM.format(note=f'<p class="note" role="alert">{note}</p>' if note else ""), status)

    async def answer(self, scope: Scope, receive: Receive) -> tuple[Response, bool]:
        """Return an answer to a password, and whether it was the right one."""
        if self._n_under_way >= MAX_UNDER_WAY:
            return self.form("Too many passwords at a time. Try again in a moment.", 429), False
        self._n_under_way += 1
        try:
            body = await asyncio.wait_for(_body(Request(scope, receive)), BODY_SECS)
        except (asyncio.TimeoutError, ClientDisconnect):
            return PlainTextResponse("The password did not come in time.\n", 408), False
        finally:
            self._n_under_way -= 1
        if body is None:
            return PlainTextResponse("That is too much.\n", 413), False
        return self._judged(parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0])

    def _judged(self, said: str) -> tuple[Response, bool]:
        """Look at one password. Nothing is awaited here: of many that come at once each counts before the next is tried."""
        if len(self._wrong) == MAX_WRONG and time.monotonic() - self._wrong[0] < _PER_SECS:
            return self.form("Too many wrong passwords. Wait a minute.", 429), False
        if not hmac.compare_digest(said.encode("utf-8", "replace"), self._password):
            self._wrong.append(time.monotonic())
            return self.form("That is not the password."), False
        return RedirectResponse("/", 303), True


async def _body(request: Request) -> bytes | None:
    """Return what a form sends; None if it is too much."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _MAX_BODY_BYTES:
            return None
    return body
