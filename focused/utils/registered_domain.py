"""The registered domain of a host: what one owner has registered, with all names below it.

It comes from the public suffix list that tldextract brings along. Nothing is fetched, and nothing is cached on disk.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import ExtractResult, TLDExtract

_MAX_REMEMBERED_HOSTS = 10_000


@lru_cache(maxsize=_MAX_REMEMBERED_HOSTS)
def registered_domain(host: str) -> str:
    """Return the registered domain of a host's name; the name itself where it has none, as addresses have.

    Each name below a suffix that many people share, such as ``github.io``, is a domain of its own.

    >>> registered_domain("www.physics.example.co.uk"), registered_domain("me.github.io")
    ('example.co.uk', 'me.github.io')
    >>> registered_domain("127.0.0.1"), registered_domain("localhost"), registered_domain("co.uk")
    ('127.0.0.1', 'localhost', 'co.uk')
    >>> registered_domain("a.b.example"), registered_domain("[::1]")
    ('b.example', '[::1]')
    """
    name = host.lower().rstrip(".")
    found = split_name(name)
    if not found.suffix and found.subdomain:  # the list's rule for endings that it does not name: one label
        return f"{found.subdomain.rpartition('.')[2]}.{found.domain}"
    return found.top_domain_under_public_suffix or name


def is_public_name(host: str) -> bool:
    """Tell whether the list knows the ending of a host's name.

    >>> is_public_name("stars.co.uk"), is_public_name("seeds.txt"), is_public_name("org")
    (True, False, False)
    """
    return bool(split_name(host).top_domain_under_public_suffix)


def split_name(host: str) -> ExtractResult:
    """Return the parts of a host's name: public suffix, what stands before it, and what is below that."""
    return _extract().extract_str(host)


@cache
def _extract() -> TLDExtract:
    from tldextract import TLDExtract  # reading the list takes a fifth of a second: it is read when it is needed

    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)
