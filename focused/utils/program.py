"""Name the program in messages as the user calls it: in a checkout ``scrapy``, of an installed package ``focused``."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from focused.utils.places import IS_INSTALLED

_COMMANDS = re.compile(r"\bscrapy (?=(?:crawl|dashboard|demo|evaluate|explain|export|frontier|judge|report|train)\b)")


def as_typed(message: str) -> str:
    """Return a message whose commands can be typed as they stand: elsewhere ``scrapy`` does not know this project.

    >>> as_typed("Train one: scrapy train moons --positive PATH")
    'Train one: scrapy train moons --positive PATH'
    """
    return _COMMANDS.sub("focused ", message) if IS_INSTALLED or Path(sys.argv[0]).name == "focused" else message
