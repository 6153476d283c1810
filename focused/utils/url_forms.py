"""Makes forms of URLs that are equal if the URLs name the same page."""

from __future__ import annotations

import posixpath
import re
from urllib.parse import unquote_to_bytes, urlsplit

from w3lib.url import canonicalize_url

# Names of the file that servers send for a folder. home.html was the second choice of Netscape's servers: it makes 23 more
# WebKB pages of 1997 reachable. It never hides another page, because exact matches come first.
_SUFFIXES = (
    "html",
    "htm",
    "shtml",
    "shtm",
    "xhtml",
    "phtml",
    "php",
    "php3",
    "asp",
    "aspx",
    "jsp",
    "cgi",
    "pl",
    "cfm",
    "wml",
)
INDEX_NAMES = {f"{stem}.{suffix}" for stem in ("index", "default", "welcome") for suffix in _SUFFIXES}
INDEX_NAMES |= {"home.html", "home.htm"}
DEFAULT_PORTS = {"http": 80, "https": 443}
_with_default_port = re.compile(r"(https?://[^/?#@]*):(80|443)(?=[/?#]|$)", re.IGNORECASE).match


def canonical_form(url: str) -> str | None:
    """Return w3lib's canonical form of a URL without fragment; None if it is no URL.

    >>> canonical_form("HTTP://Example.com/%7ea?b=2&a=1#part")
    'http://example.com/~a?a=1&b=2'
    >>> canonical_form("http://[::1") is None
    True
    """
    try:
        return canonicalize_url(url)
    except ValueError:  # bad brackets, ports, host names and lone surrogates
        return None


def without_default_port(url: str) -> str:
    """Return a URL without its port where that is the scheme's own: with it or without, the page is the same.

    >>> without_default_port("http://example.com:80/a"), without_default_port("https://example.com:80/")
    ('http://example.com/a', 'https://example.com:80/')
    """
    found = _with_default_port(url) if ":80" in url or ":443" in url else None
    if found is None:
        return url
    origin, port = found.groups()
    return origin + url[found.end() :] if (port == "80") == (origin[4] == ":") else url


def with_slashes(target: str) -> str:
    r"""Return a link's target with slashes for the backslashes before its query, as browsers read it.

    >>> with_slashes("\\stars\\7.html?x=\\")
    '/stars/7.html?x=\\'
    """
    path, mark, query = target.partition("?")
    return path.replace("\\", "/") + mark + query


def tolerant_form(canonical: str, *, fold_case: bool = True) -> str | None:
    """Return a form that is equal for URLs which a server would answer with the same file.

    Case of the path, an index file's name, a trailing or double slash, dot segments, the default port, a final dot and
    a user in the host, and the encoding of escapes (UTF-8 or Latin-1) make no difference. Scheme, host and query make
    one: `http` and `https`, or a host with and without `www`, may be different sites. If they are the same site, the
    server redirects, and a direct answer would turn that redirect into a loop. Without ``fold_case`` the case of the path
    is kept, to tell the nearer of two candidates. The form is no URL; it is None if there is no host.

    >>> tolerant_form("http://example.com:80/Docs/Index.HTML") == tolerant_form("http://example.com/docs")
    True
    """
    try:
        parts = urlsplit(canonical)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return None
    if not host:
        return None
    # An escaped slash or question mark is part of a name, no separator: it stays escaped.
    raw = unquote_to_bytes(parts.path.replace("%2F", "%252F").replace("%3F", "%253F"))
    try:
        path = raw.decode()
    except UnicodeDecodeError:
        path = raw.decode("latin-1")
    path = path.lower() if fold_case else path
    folder, _, name = path.rpartition("/")
    path = folder if name.lower() in INDEX_NAMES else f"{folder}/{name}"
    path = posixpath.normpath("/" + path.lstrip("/"))
    if port is not None and port != DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    return f"{parts.scheme}://{host}{path}?{parts.query}"
