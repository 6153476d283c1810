"""The scope of a crawl: which pages it may ask for, and which can be relevant."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

from focused.utils.url_rules import UrlRules
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

NOT_ALLOWED, DENIED, TOO_FAR = "not_allowed", "denied", "beyond_depth"
"""Why a link is out of scope."""

OUT_OF_SCOPE = "out of scope: "
"""What the note of a waiting link begins with that another scope dropped; why stands behind it."""
REDIRECT_OUT_OF_SCOPE = "redirects out of scope: "
"""What the note of a dropped link begins with; where it led stands behind it."""
ELSEWHERE = "redirects to a known link"
"""The note of a dropped link."""


@dataclass(frozen=True)
class Scope:
    """Which pages a crawl may ask for: URLs, links from a seed, pages of a host and of a registered domain; 0: no limit.

    And the languages (ISO 639-1) of relevant pages; none: all.
    """

    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    max_depth: int = 0
    max_pages_per_host: int = 0
    max_pages_per_domain: int = 0

    @classmethod
    def from_json(cls, values: Mapping[str, Any] | None) -> Scope:
        """Return the scope that `as_json` gave."""
        names = {field.name for field in fields(cls)}
        known: dict[str, Any] = {name: value for name, value in (values or {}).items() if name in names}
        found: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in known.items()
        }
        return cls(**found)

    def as_json(self) -> dict[str, Any]:
        """Return what is limited, as JSON values."""
        limits = {name: value for name, value in asdict(self).items() if value}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in limits.items()}

    @property
    def limits_urls(self) -> bool:
        """Whether any URL is out of scope."""
        return bool(self.allow or self.deny)

    def refusal(self, url: str, depth: int = 0) -> str:
        """Return why a link so many links away from a seed is out of scope: one of the reasons above, empty if it is not.

        >>> scope = Scope(allow=("example.org",), deny=("/private/",))
        >>> scope.refusal("http://www.example.org/"), scope.refusal("http://other.org/")
        ('', 'not_allowed')
        >>> scope.refusal("http://example.org/private/1")
        'denied'
        """
        if self.deny and self._denied.match(url) is not None:
            return DENIED
        if self.allow and self._allowed.match(url) is None:
            return NOT_ALLOWED
        return TOO_FAR if 0 < self.max_depth < depth else ""

    def why(self, url: str, depth: int = 0) -> str:
        """Return in words why a link is out of scope; empty if it is not.

        >>> Scope(deny=("/private/",)).why("http://example.org/private/1")
        'deny has /private/'
        """
        match self.refusal(url, depth):
            case "denied":
                rule = self._denied.match(url)
                return f"deny has {rule.text if rule else ''}"
            case "not_allowed":
                return f"allow has {_some(self.allow)}"
            case "beyond_depth":
                return f"it lies {quantity(depth, 'links')} from a seed, max_depth is {self.max_depth:,}"
        return ""

    def __bool__(self) -> bool:
        """Whether anything is limited."""
        return self != Scope()

    def __str__(self) -> str:
        """Return all limits on one line; empty if there are none.

        >>> str(Scope(allow=("example.org", "/papers/"), max_depth=5))
        'allow example.org, /papers/; max_depth 5'
        """
        found = self.as_json().items()
        return "; ".join(f"{name} {_some(each) if isinstance(each, list) else each}" for name, each in found)

    @cached_property
    def _allowed(self) -> UrlRules:
        return UrlRules(self.allow)

    @cached_property
    def _denied(self) -> UrlRules:
        return UrlRules(self.deny)


def _some(entries: tuple[str, ...] | list[str], most: int = 5) -> str:
    more = f" and {len(entries) - most:,} more" if len(entries) > most else ""
    return f"{', '.join(entries[:most])}{more}"
