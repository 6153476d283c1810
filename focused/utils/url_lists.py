"""Read lists of URLs: text files with one URL a line."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

if TYPE_CHECKING:
    from pathlib import Path


def http_url(text: str) -> str | None:
    """Return a text as an absolute HTTP URL without fragment, safely escaped; None if it is none.

    >>> http_url(" HTTP://stars.example/a b#c ")
    'http://stars.example/a%20b'
    >>> [http_url(text) for text in ("stars.example", "http://", "http://x:99999/", "http://[::1", "http://a b/")]
    [None, None, None, None, None]
    """
    try:
        url = safe_url_string(text.strip()).partition("#")[0]
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except (ValueError, UnicodeError):
        return None
    if parts.scheme not in ("http", "https") or not host or port == 0 or any(c in host for c in '%<>" '):
        return None
    return url


def url_lines(path: Path) -> list[tuple[int, str, str | None]]:
    """Return the lines of a list of URLs: number, text, and the URL or None. Blank lines and # comments are left out.

    Only the text before the first blank or tab counts, so files of labels can be read too. An OSError or UnicodeDecodeError
    says that the file cannot be read as text.
    """
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    stripped = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return [(number, line, http_url(line.split()[0])) for number, line in stripped if line and line[0] != "#"]
