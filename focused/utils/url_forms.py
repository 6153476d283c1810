"""When do two URLs name the same page? Forms of a URL that are equal if they do."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote_to_bytes, urlsplit

from w3lib.url import canonicalize_url

# Names that servers send for a folder. home.html was the second choice of Netscape's servers: on the WebKB
# pages of 1997 it makes 23 more pages reachable, and nowhere hides another page, because exact matches come
# first.
INDEX_NAMES = frozenset(
    f"{stem}.{suffix}"
    for stem in ("index", "default", "welcome")
    for suffix in (
        *("html", "htm", "shtml", "shtm", "xhtml", "phtml", "php", "php3", "asp", "aspx", "jsp", "cgi", "pl"),
        *("cfm", "wml"),
    )
) | {"home.html", "home.htm"}
DEFAULT_PORTS = {"http": 80, "https": 443}


def canonical_form(url: str) -> str | None:
    """Give w3lib's canonical form of a URL without fragment; None for what is no URL.

    >>> canonical_form("HTTP://Example.com/%7ea?b=2&a=1#part")
    'http://example.com/~a?a=1&b=2'
    >>> canonical_form("http://[::1") is None
    True
    """
    try:
        return canonicalize_url(url)
    except ValueError:  # bad brackets, ports, host names and lone surrogates
        return None


def tolerant_form(canonical: str, *, fold_case: bool = True) -> str | None:
    """Give a form that is equal for URLs which one server would answer with the same file.

    Case of the path, an index file's name, a trailing or double slash, dot segments, the default port, a
    final dot and a user in the host, and the encoding of escapes (UTF-8 or Latin-1) make no difference.
    Scheme, host and query do: `http` and `https`, or a host with and without `www`, may be other sites, and
    where they are not, the server redirects; to answer directly would turn that redirect into a loop.

    Parameters
    ----------
    canonical : str
        A canonical form, see `canonical_form`.
    fold_case : bool
        False keeps the case of the path, to tell the nearer of two candidates.

    Returns
    -------
    str or None
        Not a URL: only to be compared. None for what has no host.

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
    # An escaped slash or question mark is part of a name, not a separator: it stays escaped.
    raw = unquote_to_bytes(parts.path.replace("%2F", "%252F").replace("%3F", "%253F"))
    try:
        path = raw.decode()
    except UnicodeDecodeError:
        path = raw.decode("latin-1")
    if fold_case:
        path = path.lower()
    folder, _, name = path.rpartition("/")
    path = folder if name.lower() in INDEX_NAMES else f"{folder}/{name}"
    path = posixpath.normpath("/" + path.lstrip("/"))
    if port is not None and port != DEFAULT_PORTS.get(parts.scheme):
        host = f"{host}:{port}"
    return f"{parts.scheme}://{host}{path}?{parts.query}"
