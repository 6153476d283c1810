"""The parameters of strategies: each names its setting, its default and its range once, where it is a field."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_SWITCH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a setting must be. Its type is the default's: a number, a whole number, True or False, or a text."""

    setting: str
    default: float | int | bool | str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What a value must be, in words.

        >>> Parameter("A", 0.5, 0, 1).description, Parameter("B", 5, 1).description
        ('a number from 0 to 1', 'a whole number of at least 1')
        """
        if self.choices:
            return " or ".join(map(repr, self.choices))
        if isinstance(self.default, bool):
            return "True or False"
        if isinstance(self.default, str):
            return "a text"
        kind = "a whole number" if isinstance(self.default, int) else "a number"
        if self.least is not None and self.most is not None:
            return f"{kind} from {self.least:g} to {self.most:g}"
        if self.least is not None:
            return f"{kind} of at least {self.least:g}"
        return kind if self.most is None else f"{kind} up to {self.most:g}"

    def read(self, settings: Mapping[str, Any]) -> Any:
        """Return the value that settings give, or the default; a text, as a command line has it, is converted."""
        return self.check(settings.get(self.setting, self.default))

    def check(self, value: Any) -> Any:
        """Return a value as what it must be.

        Raises
        ------
        ValueError
            If it is something else, or out of its range.
        """
        found = self._converted(value)
        is_number = isinstance(found, (int, float)) and not isinstance(found, bool)
        if (
            found is None
            or (self.choices and found not in self.choices)
            or (is_number and self.least is not None and found < self.least)
            or (is_number and self.most is not None and found > self.most)
        ):
            raise ValueError(f"{self.setting} must be {self.description}. Got {value!r}.")
        return found

    def _converted(self, value: Any) -> Any:
        text = str(value).strip()
        if isinstance(self.default, bool):
            return _SWITCH.get(text.lower())
        if isinstance(self.default, str):
            return value if isinstance(value, str) else None
        if isinstance(self.default, int):
            return int(text) if re.fullmatch(r"[+-]?[0-9]{1,12}", text) else None
        try:
            number = math.nan if isinstance(value, bool) else float(text)
        except ValueError:
            return None
        return number if math.isfinite(number) else None


def parameter(
    setting: str, default: Any, *, least: float | None = None, most: float | None = None, choices: tuple[str, ...] = ()
) -> Any:
    """Declare a field of a strategy as a parameter that a setting gives.

    Parameters
    ----------
    setting : str
        Its name. With the prefix FOCUSED_ it is one of the project's, and ``focused/settings.py`` holds the same default;
        packages that plug something in have prefixes of their own.
    default : float, int, bool or str
        The paper's value. Its type is that of the parameter.
    least, most : float, optional
        The range, ends included.
    choices : tuple of str, optional
        What a text may be.
    """
    return field(default=default, metadata={"parameter": Parameter(setting, default, least, most, choices)})


def parameters_of(owner: Any) -> dict[str, Parameter]:
    """Return the parameters of a strategy or of its class, by the names of their fields."""
    return {f.name: f.metadata["parameter"] for f in fields(owner) if "parameter" in f.metadata}
