"""Makes features of a URL: the host and the folder that it lies in, and its terms, hashed to columns."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from focused.method.page.url_kinds import url_kind

N_COLUMNS = 2**16
"""Columns that the terms of URLs, and those of anchor texts, are hashed to; column 0 stands for no term."""
MAX_URL_TERMS = 16

_TOKEN = re.compile(r"[a-z]+|[0-9]+")
# What `urlsplit` and `unquote` would leave as it is.
_PLAIN_URL = re.compile(
    r"https?://([a-z0-9.-]+)(?::[0-9]*)?((?:/[A-Za-z0-9_.~/,;=+:@!$&'()*-]*)?)(?:\?([^#\s]*))?\Z", re.ASCII
)


@dataclass(frozen=True, slots=True)
class UrlFeatures:
    """Columns of a URL's terms, without duplicates, the host and folder that it lies in, and the kind of its page."""

    columns: list[int]
    host: str
    folder: str
    kind: str


def url_features(url: str) -> UrlFeatures:
    """Return what a URL says of itself.

    >>> url_features("http://A.org/x/Y12.html").folder, url_features("http://a.org/x/y3.html").host
    ('a.org/x', 'a.org')
    """
    host, path, query = _split(url)
    folder, own = _own_terms(path, query)
    columns = [*_host_columns(host), *map(hashed, own), *_folder_columns(folder)]
    return UrlFeatures(list(dict.fromkeys(columns))[:MAX_URL_TERMS], host, host + folder, url_kind(path.lower(), query))


def url_terms(url: str) -> dict[int, str]:
    """Return the terms of a URL, what they are before what they say, by column.

    >>> list(url_terms("http://a.org/x/y.html?id=3").values())[3:]
    ['extension html', 'depth 1', 'query', 'query id', 'query 3', 'file y', 'file html', 'folder x']
    """
    host, path, query = _split(url)
    folder, own = _own_terms(path, query)
    return {hashed(term): term for term in (*_host_terms(host), *own, *_folder_terms(folder))}


def place_of(url: str) -> tuple[str, str, list[int], list[int]]:
    """Return host and folder of a URL, and the columns of the terms of each.

    >>> place_of("http://a.org/x/y.html")[:2]
    ('a.org', '/x/')
    """
    host, path, _ = _split(url)
    folder = path.lower().rpartition("/")[0]
    return host, f"{folder}/", _host_columns(host), _folder_columns(folder)


def _split(url: str) -> tuple[str, str, str]:
    """Return host, path and query of a URL."""
    plain = _PLAIN_URL.match(url)
    if plain is not None:  # a third of the time
        return plain[1], plain[2], plain[3] or ""
    try:
        parts = urlsplit(url)
        return parts.hostname or "", unquote(parts.path), parts.query
    except ValueError:
        return "", url, ""


def _own_terms(path: str, query: str) -> tuple[str, list[str]]:
    """Return the folder of a path in small letters, and the terms of what follows it."""
    folder, _, name = path.lower().rpartition("/")
    extension = name.rpartition(".")[2][:6] if "." in name else "-" if name else "/"
    n_folders = min(folder.count("/") + (not name), 6)
    terms = [f"extension {extension}", f"depth {n_folders}"]
    if "~" in path:
        terms.append("tilde")
    if query:
        terms += ["query", *(f"query {token}" for token in _TOKEN.findall(query.lower())[:4])]
    terms += [f"file {token}" for token in _tokens(name)]
    return folder, terms


def _tokens(text: str) -> list[str]:
    # Of numbers only the length says something about other links.
    return ["#" * len(token) if token[0].isdigit() else token for token in _TOKEN.findall(text)]


@lru_cache(maxsize=2**16)
def hashed(term: str) -> int:
    """Return the column of a term, from 1 on."""
    # The same in every process, which Python's own hash is not.
    return zlib.crc32(term.encode("utf-8", "replace")) % (N_COLUMNS - 1) + 1


@lru_cache(maxsize=2**13)
def place_key(place: str) -> int:
    """Return the number of a host or folder, the same in every process; among 100,000 two or so share one."""
    return zlib.crc32(place.encode("utf-8", "replace"))


@lru_cache(maxsize=2**13)
def _host_columns(host: str) -> list[int]:
    return list(map(hashed, _host_terms(host)))


@lru_cache(maxsize=2**13)
def _folder_columns(folder: str) -> list[int]:
    return list(map(hashed, _folder_terms(folder)))


def _host_terms(host: str) -> list[str]:
    labels = host.split(".")
    return [f"host {host}", f"label {labels[0]}", f"domain {'.'.join(labels[-2:])}"]


def _folder_terms(folder: str) -> list[str]:
    # The last folders first: they say most, and of long paths the rest is left out.
    return [f"folder {token}" for token in reversed(_tokens(folder))]
