"""Orders pages at random, the same way each time: a page's place is a hash of its URL and a seed.

So the pages up to any place are a random sample of all pages, whatever else people judge, in whatever order, and however many
pages a crawl adds meanwhile (permanent random numbers, as in official statistics).
"""

from __future__ import annotations

import hashlib


def place(url: str, seed: str) -> float:
    """Return a page's place in the order: uniformly distributed in [0, 1), and independent of all other pages' places.

    >>> place("http://a.example/", "run") == place("http://a.example/", "run") != place("http://a.example/", "other run")
    True
    """
    digest = hashlib.blake2b(
        url.encode("utf-8", "replace"), key=seed.encode("utf-8", "replace")[:64], digest_size=8
    ).digest()
    return (int.from_bytes(digest, "little") >> 11) / (1 << 53)
