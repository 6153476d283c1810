"""Read lists of URLs: text files with one URL a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from w3lib.url import safe_url_string

from focused.utils.registered_domain import is_public_name

if TYPE_CHECKING:
    from pathlib import Path

_BETWEEN_URLS = re.compile(r"[\s,]+(?=[^\s,]*://|www\.)|\s+")
_SCHEME = re.compile(r"(?:(https?)(?=[:/]):?)?/*(.*)", re.IGNORECASE | re.DOTALL)
_NAME = re.compile(r"[^\s,/:@?#]+(?::\d+)?(?:[/?#]\S*)?$")
_end_of_host = re.compile(r"[/?#\\]")
_ADDRESS = re.compile(r"\d+(?:\.\d+){3}")
_MOST_CHARS = 2000
_OTHERS = ("localhost",)


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
    if parts.scheme not in ("http", "https") or not host or port == 0 or any(c in host for c in '%<>", '):
        return None
    return url


def names_urls(text: str) -> bool:
    """Tell whether a list of seeds is URLs itself, and not the name of a file of them.

    >>> names_urls("http://a.example/"), names_urls("seeds.txt?from=http://a.example/")
    (True, False)
    """
    return "://" in text.partition("?")[0]


def split_urls(text: str) -> list[str]:
    """Return the URLs of a text, separated by white space or commas; a comma inside a URL stays.

    >>> split_urls("http://a.example/x,y,https://b.example/ www.c.example,")
    ['http://a.example/x,y', 'https://b.example/', 'www.c.example']
    """
    return [url for url in _BETWEEN_URLS.split(text.strip().strip(",")) if url]


def without_user(url: str) -> str:
    """Return a URL without the name of a user and a password.

    >>> without_user("http://me:secret@a.example:8000/x?y=@z"), without_user("http://a.example/x@y")
    ('http://a.example:8000/x?y=@z', 'http://a.example/x@y')
    >>> without_user("me:secret@a.example")
    'a.example'
    """
    scheme, mark, rest = url.partition("://") if "://" in url else ("", "", url)
    host = _end_of_host.split(rest, maxsplit=1)[0]
    return f"{scheme}{mark}{rest[host.rfind('@') + 1 :]}"


def did_you_mean(text: str) -> str:
    """Return the HTTP URL that a text is probably meant to be; empty if there is no guess.

    >>> did_you_mean("www.stars.example"), did_you_mean("stars.org/a?b"), did_you_mean("https:/stars.example")
    ('http://www.stars.example/', 'http://stars.org/a?b', 'https://stars.example/')
    >>> did_you_mean("seeds.txt"), did_you_mean("stars"), did_you_mean("ftp://stars.org/"), did_you_mean("me@stars.org")
    ('', '', '', '')
    """
    scheme, rest = _SCHEME.fullmatch(text.strip()).groups()  # type: ignore[union-attr]
    url = http_url(f"{scheme.lower() if scheme else 'http'}://{rest}") if _NAME.match(rest) else None
    if url is None:
        return ""
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not (scheme or host.startswith("www.") or host in _OTHERS or is_public_name(host) or _ADDRESS.fullmatch(host)):
        return ""  # as likely the name of a file
    return url if parts.path or parts.query else f"{url}/"


def asked_for(value: str, option: str = "") -> str:
    """Return the question whether an option with the URLs of a list was meant; empty unless all can be guessed.

    >>> asked_for("www.stars.example, http://b.example/", "-a seeds=")
    ' Did you mean -a seeds=http://www.stars.example/,http://b.example/?'
    >>> asked_for("stars")
    ''
    """
    urls = [did_you_mean(part) for part in re.split(r"[\s,]+", value[:_MOST_CHARS].strip(" ,\n")) if part]
    return f" Did you mean {option}{','.join(urls)}?" if urls and all(urls) and len(value) <= _MOST_CHARS else ""


def url_lines(path: Path) -> list[tuple[int, str, str | None]]:
    """Return the lines of a list of URLs: number, text, and the URL or None. Blank lines and # comments are left out.

    Only the text before the first blank or tab counts, so files of labels can be read too. An OSError or UnicodeDecodeError
    says that the file cannot be read as text.
    """
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    stripped = ((number, line.strip()) for number, line in enumerate(lines, 1))
    return [(number, line, http_url(line.split()[0])) for number, line in stripped if line and line[0] != "#"]
