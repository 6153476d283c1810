"""A link as the frontier is given it, and as it hands it out."""

from __future__ import annotations

import hashlib
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from focused.utils.origins import host_of

if TYPE_CHECKING:
    from focused.method.scoring.evidence import Evidence


@dataclass(frozen=True, slots=True)
class FrontierLink:
    """A link that was found."""

    #: Of host and canonical URL, 64 bits with sign (`fingerprint_of`; docs/method/, D57). Two links of one fingerprint are
    #: one link: among ten million links there is such a mistake with a probability of 3 in a million if they lie on many
    #: hosts, of 0.18 if all lie on one; it costs one page.
    fingerprint: int
    url: str
    #: What the page it stands on says of it.
    evidence: Evidence
    #: Priority besides what the evidence gives; seeds have some.
    extra: int = 0
    #: Irrelevant pages since the last relevant one on the way to it.
    tunnel: int = 0
    #: Name of the spider's method that its page goes to; None: ``parse``.
    callback: str | None = None
    #: The spider's own request as JSON, which makes it more than a link: it keeps its priority whatever pages say of its
    #: URL. None: a link of a page, or a seed.
    request: str | None = None

    @property
    def host(self) -> str:
        """The host's name, in lower case."""
        return host_of(self.url)

    def behind(self, tunnel: int) -> FrontierLink:
        """Return the same link, so many irrelevant pages after the last relevant one; the spider's own request as it is."""
        if tunnel == self.tunnel or self.request is not None:
            return self
        return FrontierLink(self.fingerprint, self.url, self.evidence, self.extra, tunnel, self.callback)


class DrawnLink(NamedTuple):
    """A link that waits, and was drawn at random."""

    number: int
    url: str
    #: URL of the page that it stands on.
    referrer: str


class Leased(NamedTuple):
    """A link that was handed out: it is under way until it is said to be done, failed or dropped."""

    id: int
    url: str
    host: str
    priority: int
    tunnel: int
    evidence: Evidence
    callback: str | None = None
    request: str | None = None


def fingerprint_of(digest: bytes | str, host: str) -> int:
    """Return 16 bits of a host's name and 48 of a digest (Scrapy's request fingerprint), or of a text's.

    Links of one host so lie close together in the frontier's file: a page's links, most of them on one host, then touch
    a few leaves of its tree and not one each.

    >>> fingerprint_of(bytes(range(20)), "")
    4328719365
    """
    if isinstance(digest, str):
        digest = hashlib.blake2b(digest.encode("utf-8", "replace"), digest_size=8).digest()
    of_host = zlib.crc32(host.encode("utf-8", "replace")) & 0xFFFF
    return int.from_bytes(of_host.to_bytes(2, "big") + digest[:6], "big", signed=True)


def fingerprints_of(host: str) -> tuple[int, int]:
    """Return the least and the largest fingerprint of links of a host; others may have them, too.

    >>> least, most = fingerprints_of("h.org")
    >>> least <= fingerprint_of(b"123456", "h.org") <= most
    True
    """
    return fingerprint_of(bytes(6), host), fingerprint_of(b"\xff" * 6, host)
