"""A link as the frontier is given it, and as it hands it out."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from focused.strategies.evidence import Evidence


@dataclass(frozen=True, slots=True)
class Link:
    """A link that was found.

    Parameters
    ----------
    fingerprint : int
        Of the canonical URL, 64 bits with sign. Two links of one fingerprint are one link: among ten million there is
        such a mistake with a probability of 3 in a million, and it costs one page.
    url : str
    evidence : Evidence
        What the page it stands on says of it.
    extra : int
        Priority besides what the evidence gives; seeds have some.
    tunnel : int
        Irrelevant pages since the last relevant one on the way to it.
    """

    fingerprint: int
    url: str
    evidence: Evidence
    extra: int = 0
    tunnel: int = 0

    @property
    def host(self) -> str:
        """The host's name, in lower case."""
        return host_of(self.url)


class Leased(NamedTuple):
    """A link that was handed out: it is under way until it is said to be done, failed or dropped."""

    id: int
    url: str
    host: str
    priority: int
    tunnel: int
    evidence: Evidence


def host_of(url: str) -> str:
    """Return the name of a URL's host in lower case; empty if it has none.

    >>> host_of("http://Stars.example:8080/a")
    'stars.example'
    """
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def fingerprint_of(digest: bytes | str) -> int:
    """Return 64 bits of a digest (Scrapy's request fingerprint), or of a text's.

    >>> fingerprint_of(bytes(range(20)))
    283686952306183
    """
    data = (
        hashlib.blake2b(digest.encode("utf-8", "replace"), digest_size=8).digest()
        if isinstance(digest, str)
        else digest
    )
    return int.from_bytes(data[:8], "big", signed=True)
