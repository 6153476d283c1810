"""Finds the numbers in URLs and titles; URLs or titles that differ only by a number are treated as one."""

from __future__ import annotations

import re

_HEX = "[0-9A-Fa-f]"
# A letter stands behind a digit, and there are two digits, or ten characters: a word with a year or a number behind it is no
# hash. Or five digits stand behind the letters. A crawl finds the hashes that are not told: their links do not sink.
_MIXED = "(?=[A-Fa-f]*[0-9]+[A-Fa-f])(?=(?:[A-Fa-f]*[0-9]){2}|[0-9A-Fa-f]{10})"
_HASH = rf"(?:{_MIXED}|(?=[A-Fa-f]+[0-9]{{5}})){_HEX}{{7,}}"
_UUID = rf"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"
NUMBERS = re.compile(rf"(?<![A-Za-z0-9%])(?:{_UUID}|{_HASH})(?![A-Za-z0-9])|[0-9]+")
"""Finds runs of digits, and hashes: of commits, sessions, files. A hash has seven hexadecimal digits or more, as short ones of
Git have.

>>> hashes = "3f2a9c1d", "commit-3F2A9C1", "550e8400-e29b-41d4-a716-446655440000"
>>> [NUMBERS.sub("0", name) for name in ("2024", "page-12", *hashes)]
['0', 'page-0', '0', 'commit-0', '0']
>>> [NUMBERS.sub("0", name) for name in ("h2o2base", "web3design1", "cafe2024", "facade1", "s01e02", "Value%20Added")]
['h0o0base', 'web0design0', 'cafe0', 'facade0', 's0e0', 'Value%0Added']
>>> [NUMBERS.sub("0", name) for name in ("a349429481", "eaabef4deb", "b12345", "face2face")]
['0', '0', 'b0', 'face0face']
"""
