"""What a URL says of itself: the host and the folder that it lies in, and its terms, hashed to columns."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, urlsplit

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
    """Columns of a URL's terms, without duplicates, and the host and folder that it lies in."""

    columns: list[int]
    host: str
    folder: str


def url_features(url: str) -> UrlFeatures:
    """Return what a URL says of itself.

    >>> url_features("http://A.org/x/Y12.html").folder, url_features("http://a.org/x/y3.html").host
    ('a.org/x', 'a.org')
    """
    plain = _PLAIN_URL.match(url)
    if plain is not None:  # a third of the time
        host, path, query = plain[1], plain[2], plain[3] or ""
    else:
        try:
            parts = urlsplit(url)
            host, path, query = parts.hostname or "", unquote(parts.path), parts.query
        except ValueError:
            host, path, query = "", url, ""
    folder, _, name = path.lower().rpartition("/")
    extension = name.rpartition(".")[2][:6] if "." in name else "-" if name else "/"
    n_folders = min(folder.count("/") + (not name), 6)
    terms = [f"extension {extension}", f"depth {n_folders}"]
    if "~" in path:
        terms.append("tilde")
    if query:
        terms += ["query", *(f"query {token}" for token in _TOKEN.findall(query.lower())[:4])]
    terms += [f"file {token}" for token in _tokens(name)]
    columns = [*_host_columns(host), *map(hashed, terms), *_folder_columns(folder)]
    return UrlFeatures(list(dict.fromkeys(columns))[:MAX_URL_TERMS], host, host + folder)


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
    labels = host.split(".")
    return [hashed(f"host {host}"), hashed(f"label {labels[0]}"), hashed(f"domain {'.'.join(labels[-2:])}")]


@lru_cache(maxsize=2**13)
def _folder_columns(folder: str) -> list[int]:
    # The last folders first: they say most, and of long paths the rest is left out.
    return [hashed(f"folder {token}") for token in reversed(_tokens(folder))]
