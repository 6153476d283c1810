"""Admits only the browser of the person who opened the link that was printed.

Other sites that she visits could send requests to this machine. They do not know the token, a browser does not let them read
answers, and what they send has another ``Origin``. A name of theirs that resolves to this machine (DNS rebinding) is another
``Host``.
"""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse

from focused.dashboard.login import OPEN_PATHS, PATH, Login

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

COOKIE = "dashboard_token"
OWN_DOMAIN = ".localhost"
"""Under which a dashboard has a name of its own, which is not told: cookies know no ports, and what other programs of this
machine serve at 127.0.0.1 gets the cookies of 127.0.0.1."""
MAX_BODY_BYTES, MAX_UPLOAD_BYTES = 64_000, 50_000_000
UPLOADS = "/topics"
"""The only path to which files may be sent."""
METRICS = "/metrics"
MAX_STREAMS = 50
"""Pages that may be watched at a time."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    # Other sites learn nothing. With "no-referrer" a browser would not say of the dashboard's own forms whose they are.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_HARMLESS_METHODS = ("GET", "HEAD")


class Guard:
    """ASGI middleware that answers what may not be asked itself.

    Parameters
    ----------
    token : str
        What the printed link holds; it becomes a cookie.
    hosts : set of str
        What the header Host may be, with the port if it is not that of the scheme.
    password : str
        What opens the dashboard instead of the link, where other machines can ask it; empty: nothing does.
    metrics_token : str
        What a monitoring system sends as ``Authorization: Bearer``; it opens `METRICS` and nothing else. Empty: nothing does.
    """

    def __init__(
        self, app: ASGIApp, *, token: str, hosts: frozenset[str], password: str = "", metrics_token: str = ""
    ) -> None:
        self._metrics_token = metrics_token
        self._app, self._token, self._hosts = app, token, hosts
        self._login = Login(password) if password else None
        # Cookies know no ports: two dashboards must not overwrite each other's.
        self._cookie = f"{COOKIE}_{min(hosts).rpartition(':')[2]}"
        self._n_streams = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        answer = self._refusal(scope)
        if answer is None and self._login is not None and scope["path"] == PATH and scope["method"] == "POST":
            answer, is_right = await self._login.answer(scope, receive)
            if is_right:
                self._let_in(answer)
        if answer is not None:
            for name, value in _HEADERS.items():
                answer.headers[name] = value
            await answer(scope, receive, send)
            return
        is_stream = scope["path"].endswith("/events")
        self._n_streams += is_stream
        try:
            await self._app(scope, _limited(receive, _most(scope)), _with_headers(send))
        finally:
            self._n_streams -= is_stream

    def _let_in(self, answer: Response) -> None:
        answer.set_cookie(self._cookie, self._token, httponly=True, samesite="strict")

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        if headers.get("host", "") not in self._hosts:
            told = ", ".join(sorted(host for host in self._hosts if OWN_DOMAIN not in host))
            return PlainTextResponse(f"Only {told} is answered here.\n", 421)
        method = scope["method"]
        if method not in (*_HARMLESS_METHODS, "POST"):
            return PlainTextResponse("Only GET and POST are answered here.\n", 405)
        if scope["path"] == METRICS and method in _HARMLESS_METHODS and self._may_measure(headers):
            return None
        query = dict(parse_qsl(scope["query_string"].decode("latin-1")))
        if method == "GET" and self._is_token(query.pop("token", "")):
            target = scope["path"] + (f"?{urlencode(query)}" if query else "")
            answer = RedirectResponse("/" + target.lstrip("/"), 303)
            self._let_in(answer)
            return answer
        if not self._is_known(headers):
            if self._login is None:
                return PlainTextResponse("Open the link that `scrapy dashboard` printed: it holds a token.\n", 403)
            if scope["path"] not in (PATH, *OPEN_PATHS) or (scope["path"] == PATH and method != "POST"):
                return self._login.form()
        if method == "POST":
            origin, site = headers.get("origin"), headers.get("sec-fetch-site")
            # A server with TLS may stand before this one.
            own = {f"{scheme}://{host}" for host in self._hosts for scheme in ("http", "https")}
            is_own = origin in own if origin else site == "same-origin"
            if not is_own:
                return PlainTextResponse("A form of another site is not answered here.\n", 403)
            if int(headers.get("content-length", "0") or 0) > _most(scope):
                return PlainTextResponse("That is too much.\n", 413)
        if scope["path"].endswith("/events") and self._n_streams >= MAX_STREAMS:
            return PlainTextResponse("Too many pages are watched at a time.\n", 503)
        return None

    def _is_known(self, headers: Headers) -> bool:
        # By hand: the parser of the standard library gives up at the first cookie of another program that it finds odd, and
        # other ports of this machine may have set one of the same name.
        pairs = (part.partition("=") for line in headers.getlist("cookie") for part in line.split(";"))
        return any(name.strip() == self._cookie and self._is_token(value.strip()) for name, _, value in pairs)

    def _may_measure(self, headers: Headers) -> bool:
        kind, _, text = headers.get("authorization", "").partition(" ")
        return bool(self._metrics_token) and kind.lower() == "bearer" and _is_same(text, self._metrics_token)

    def _is_token(self, text: str) -> bool:
        return _is_same(text, self._token)


def _is_same(text: str, secret: str) -> bool:
    return hmac.compare_digest(text.encode("utf-8", "replace"), secret.encode())


def _most(scope: Scope) -> int:
    """Return how many bytes a form may have."""
    return MAX_UPLOAD_BYTES if scope["path"] == UPLOADS else MAX_BODY_BYTES


def _limited(receive: Receive, n_left: int) -> Receive:
    """Return what receives a request, of which no more than so many bytes come in."""

    async def limited() -> Message:
        nonlocal n_left
        message = await receive()
        n_left -= len(message.get("body", b""))
        return message if n_left >= 0 else {"type": "http.disconnect"}

    return limited


def _with_headers(send: Send) -> Send:
    async def with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers[name] = value
        await send(message)

    return with_headers
