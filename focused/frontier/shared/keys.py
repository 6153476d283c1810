"""Makes numbers that stand for names in the shared tables; all workers make the same ones."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import NamedTuple

from focused.utils.registered_domain import registered_domain

_MAX_REMEMBERED = 50_000


class HostKey(NamedTuple):
    """Where a host lies: 64 bits of its registered domain and of its own name.

    Of 100 million hosts two share a number with a probability of 3 in 10,000; they would then share their delay.
    """

    domain: int
    host: int


@lru_cache(maxsize=_MAX_REMEMBERED)
def host_key(name: str) -> HostKey:
    """Return the key of a host by its name.

    >>> host_key("www.stars.example").domain == host_key("sun.stars.example").domain
    True
    >>> host_key("www.stars.example").host == host_key("sun.stars.example").host
    False
    """
    return HostKey(_number(registered_domain(name)), _number(name))


def _number(text: str) -> int:
    digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
