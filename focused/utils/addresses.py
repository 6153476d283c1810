"""Tells the kind of an IP address: public, or one that a stranger's page must not lead a crawl to.

Tables of their own: what :mod:`ipaddress` calls private changes with the version of Python.
"""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

LOOPBACK, PRIVATE, LINK_LOCAL, SHARED = "loopback", "private", "link_local", "shared"
MULTICAST, RESERVED, UNSPECIFIED, METADATA = "multicast", "reserved", "unspecified", "metadata"
KINDS = (LOOPBACK, PRIVATE, LINK_LOCAL, SHARED, MULTICAST, RESERVED, UNSPECIFIED, METADATA)
"""The kinds of addresses that are not public; the last are those where a cloud tells a machine its secrets."""

_METADATA = frozenset(
    map(ip_address, ("169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254"))
)
_METADATA_NAMES = frozenset(
    "metadata metadata.google.internal metadata.goog metadata.azure.com metadata.azure.internal metadata.tencentyun.com "
    "instance-data instance-data.ec2.internal rancher-metadata".split()
)
# The first that holds an address says its kind [RFC 6890 and the registries that it began].
_V4 = {
    "0.0.0.0/8": UNSPECIFIED,
    "10.0.0.0/8": PRIVATE,
    "100.64.0.0/10": SHARED,
    "127.0.0.0/8": LOOPBACK,
    "169.254.0.0/16": LINK_LOCAL,
    "172.16.0.0/12": PRIVATE,
    "192.168.0.0/16": PRIVATE,
    "224.0.0.0/4": MULTICAST,
    # Protocols, documentation, relays of 6to4, tests of speed, and what was never given out.
    **dict.fromkeys(("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24"), RESERVED),
    **dict.fromkeys(("203.0.113.0/24", "240.0.0.0/4"), RESERVED),
}
_V6 = {
    "::/128": UNSPECIFIED,
    "::1/128": LOOPBACK,
    "fc00::/7": PRIVATE,
    "fe80::/10": LINK_LOCAL,
    "fec0::/10": PRIVATE,
    "64:ff9b:1::/48": PRIVATE,
    "ff00::/8": MULTICAST,
    # Benchmarks, ORCHIDs, documentation.
    **dict.fromkeys(("2001:2::/48", "2001:10::/28", "2001:20::/28", "2001:db8::/32", "3fff::/20"), RESERVED),
}
_NETWORKS = [(IPv4Network(network), kind) for network, kind in _V4.items()]
_NETWORKS6 = [(IPv6Network(network), kind) for network, kind in _V6.items()]
_GLOBAL = IPv6Network("2000::/3")
_NAT64, _SIX_TO_FOUR, _TEREDO = IPv6Network("64:ff9b::/96"), IPv6Network("2002::/16"), IPv6Network("2001::/32")
# ::a.b.c.d, ::ffff:a.b.c.d and ::ffff:0:a.b.c.d
_WITH_V4 = (IPv6Network("::/96"), IPv6Network("::ffff:0:0/96"), IPv6Network("::ffff:0:0:0/96"), _NAT64)
_ISATAP = frozenset({0x00005EFE, 0x02005EFE})
_LOW_32 = 0xFFFFFFFF

_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*\.?|[0-9a-f.]*:[0-9a-f:.]+").fullmatch
_MAX_HOST_CHARS = 253
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]{0,16}|[0-9]{1,24}").fullmatch


def kind_of(address: str) -> str:
    """Return the kind of an address that is not public; an empty string for a public one.

    An IPv6 address that stands for an IPv4 address (mapped, 6to4, NAT64, Teredo, ISATAP) is of that one's kind. A ValueError
    says that the text is no address.

    >>> [kind_of(address) for address in ("10.0.0.9", "::ffff:127.0.0.1", "2002:a9fe:a9fe::", "93.184.215.14")]
    ['private', 'loopback', 'metadata', '']
    """
    found = ip_address(address.partition("%")[0])
    if found in _METADATA:
        return METADATA
    if isinstance(found, IPv4Address):
        return next((kind for network, kind in _NETWORKS if found in network), "")
    kind = next((kind for network, kind in _NETWORKS6 if found in network), "")
    if kind:
        return kind
    within = _v4_within(found)
    if within:
        return next(filter(None, (kind_of(str(each)) for each in within)), "")
    return "" if found in _GLOBAL else RESERVED


def address_of(host: str) -> str:
    """Return the address that a host of a URL is, however it is spelled; an empty string if the host is a name.

    IPv4 addresses may have one to four numbers, decimal, octal or hexadecimal, as ``inet_aton`` takes them.

    >>> [address_of(host) for host in ("127.1", "2130706433", "0x7f.1", "0177.0.0.1.", "::1", "a.example", "1.2.3.999")]
    ['127.0.0.1', '127.0.0.1', '127.0.0.1', '127.0.0.1', '::1', '', '']
    """
    host = host.strip("[]").removesuffix(".")
    if ":" in host:
        try:
            return str(IPv6Address(host.partition("%")[0]))
        except ValueError:
            return ""
    parts = host.split(".")
    if len(parts) > 4 or not all(map(_NUMBER, parts)):
        return ""
    try:
        *first, last = (_number(part) for part in parts)
    except ValueError:  # 08 is no octal number
        return ""
    if any(number > 255 for number in first) or last >= 256 ** (5 - len(parts)):
        return ""
    value = last
    for place, number in enumerate(first):
        value |= number << 8 * (3 - place)
    return str(IPv4Address(value))


def is_host(host: str) -> bool:
    """Tell whether the host of a URL, in lower case and in ASCII, is a name that can be looked up, or an address.

    >>> [is_host(host) for host in ("a.example.", "::1", "127.1", "%31%32%37.0.0.1", "127.0.0.1%00.example.org", "a..b", "")]
    [True, True, True, False, False, False, False]
    """
    return len(host) <= _MAX_HOST_CHARS and _HOST(host) is not None


def kind_of_host(host: str) -> str:
    """Return the kind of address that a host of a URL is or names, without asking anybody; else an empty string.

    >>> [kind_of_host(host) for host in ("0x7f000001", "app.localhost", "metadata.google.internal", "a.example")]
    ['loopback', 'loopback', 'metadata', '']
    """
    address = address_of(host)
    if address:
        return kind_of(address)
    name = host.lower().removesuffix(".")
    if name in _METADATA_NAMES:
        return METADATA
    return LOOPBACK if name == "localhost" or name.endswith(".localhost") else ""


def _number(text: str) -> int:
    if text[:2] in ("0x", "0X"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if text[0] == "0" else int(text)


def _v4_within(address: IPv6Address) -> list[IPv4Address]:
    """Return the IPv4 addresses that an IPv6 address stands for, or leads to."""
    value = int(address)
    if any(address in network for network in _WITH_V4):
        return [IPv4Address(value & _LOW_32)]
    if address in _SIX_TO_FOUR:
        return [IPv4Address(value >> 80 & _LOW_32)]
    if address in _TEREDO:  # the server, and the client behind it, whose bits are turned over
        return [IPv4Address(value >> 64 & _LOW_32), IPv4Address(~value & _LOW_32)]
    if value >> 32 & _LOW_32 in _ISATAP:
        return [IPv4Address(value & _LOW_32)]
    return []
