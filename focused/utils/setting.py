"""A setting, declared: its name, its default, its range and its meaning in one place. It checks its own values."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

# The values that Scrapy's getbool takes, too; it fails on others, such as TRUE.
_SWITCH = {"True": True, "true": True, "1": True, "False": False, "false": False, "0": False}
_NOTHING = (None, "", "None")
# A number with more digits is a slip, and overflows where it is used as a time.
_MOST_DIGITS = 12

TOPIC, USER, SERVER = "topic", "user", "server"
"""Who may set a setting. TOPIC: everybody, a topic's file included. USER: everybody but a topic's file. SERVER: as USER, but
under Scrapyd the server alone."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting and what its value must be. The type is the default's: a number, a whole number, True or False, a text."""

    name: str
    #: With None the value may be a number or None.
    default: Any
    #: One sentence for people.
    meaning: str = ""
    #: The range, ends included; ``above`` instead of ``least``: the value is larger than this.
    least: float | None = None
    most: float | None = None
    above: float | None = None
    #: The texts that are allowed; empty: any.
    choices: tuple[str, ...] = ()
    #: Whether the value may also be a class, or the path of one.
    names_class: bool = False
    #: Who may set it: TOPIC, USER or SERVER. A topic's file may come from a stranger, so only TOPIC opens a setting to it.
    set_by: str = USER

    @property
    def description(self) -> str:
        """What a value must be, in words.

        >>> Setting("A", 0.5, least=0, most=1).description, Setting("B", 5, least=1).description
        ('a number from 0 to 1', 'a whole number of at least 1')
        >>> Setting("A", None, above=0, most=1).description
        'a number above 0 and up to 1, or None'
        """
        if self.choices:
            return " or ".join(map(repr, self.choices))
        if isinstance(self.default, bool):
            return "True or False"
        if isinstance(self.default, str):
            return "a name, or the path of a class" if self.names_class else "a text"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if self.least is not None:
            bounds = f" of at least {self.least:,}" if self.most is None else f" from {self.least:,} to {self.most:,}"
        else:
            parts = (("above", self.above), ("up to", self.most))
            bounds = " and".join(f" {word} {bound:,}" for word, bound in parts if bound is not None)
        return kind + bounds + ("" if self.default is not None else ", or None")

    def read(self, settings: Mapping[str, Any]) -> Any:
        """Return the value that settings give, or the default. A text from a command line is converted."""
        if self.name not in settings:
            return self.default
        return self.check(
            settings[self.name]
        )  # not by get(): with Scrapy's settings it returns the default for a value of None

    def check(self, value: Any, label: str = "") -> Any:
        """Return a value in its type. A ValueError says what it must be, and calls it ``label``, or by the setting's name."""
        if self.default is None and value in _NOTHING:
            return None
        found = self._converted(value)
        is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
        if (
            found is None
            or (self.choices and found not in self.choices)
            or (is_number and self.least is not None and found < self.least)
            or (is_number and self.above is not None and found <= self.above)
            or (is_number and self.most is not None and found > self.most)
        ):
            too_large = (
                f" It may have {_MOST_DIGITS} digits before the point."
                if self.most is None and _is_too_large(value)
                else ""
            )
            raise ValueError(f"{label or self.name} must be {self.description}. Got {value!r}.{too_large}")
        return found

    def _converted(self, value: Any) -> Any:
        if self.names_class and isinstance(value, type):
            return value
        if isinstance(self.default, str):
            return os.fspath(value) if isinstance(value, (str, os.PathLike)) else None
        if isinstance(self.default, bool):
            return _SWITCH.get(str(value))
        text = str(value).strip()
        if isinstance(self.default, int):
            return int(text) if re.fullmatch(rf"[+-]?[0-9]{{1,{_MOST_DIGITS}}}", text) else None
        try:
            number = math.nan if isinstance(value, bool) else float(text)
        except ValueError:
            return None
        return None if math.isnan(number) or abs(number) >= 10**_MOST_DIGITS else number


def _is_too_large(value: Any) -> bool:
    try:
        return bool(abs(float(str(value))) >= 10**_MOST_DIGITS)
    except ValueError:
        return False
