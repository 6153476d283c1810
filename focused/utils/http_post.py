"""Send JSON to a server and take its answer, within a time and a size, whatever the server does."""

from __future__ import annotations

import http.client
import json
import threading
import urllib.error
import urllib.request
from typing import Any

MAX_BYTES = 1_000_000
_PIECE = 65_536
_AGAIN = frozenset({408, 425, 429})


class Unreachable(Exception):
    """There was no answer that could be used; another attempt may help, after ``wait_secs`` if the server says so."""

    def __init__(self, why: str, wait_secs: float | None = None) -> None:
        super().__init__(why)
        self.wait_secs = wait_secs


class Refused(Exception):
    """The server wants nothing of it: another attempt will not help."""


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """A redirect would take the key to another server."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def post_json(url: str, body: Any, headers: dict[str, str], timeout_secs: float) -> bytes:
    """Return the body of the answer, at most `MAX_BYTES`.

    Raises
    ------
    Unreachable, Refused
        The message says why, in a few words.
    """
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json", **headers})
    found: list[bytes | Exception] = []

    def ask() -> None:
        try:
            found.append(_answer(request, timeout_secs))
        except (Unreachable, Refused) as error:
            found.append(error)

    # A socket's timeout holds for each of its reads: a server that sends a byte now and then would never be given up.
    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(timeout_secs)
    if not found:
        raise Unreachable(f"no answer within {timeout_secs:g} s")
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]


def _answer(request: urllib.request.Request, timeout_secs: float) -> bytes:
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=timeout_secs) as response:
            return _body(response)
    except urllib.error.HTTPError as error:
        with error:
            what = f"HTTP {error.code} {error.reason}"
            if error.code in _AGAIN or error.code >= 500:
                raise Unreachable(what, _seconds(error.headers.get("Retry-After"))) from None
            raise Refused(what) from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Unreachable(str(getattr(error, "reason", "") or error) or type(error).__name__) from None


def _body(response: Any) -> bytes:
    parts, n_bytes = [], 0
    while piece := response.read1(_PIECE):
        parts.append(piece)
        n_bytes += len(piece)
        if n_bytes > MAX_BYTES:
            raise Unreachable(f"the answer is longer than {MAX_BYTES:,} bytes")
    return b"".join(parts)


def _seconds(text: str | None) -> float | None:
    return float(text) if text and text.isascii() and text.isdigit() else None
