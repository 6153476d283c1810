"""Checks the conditions of alerts; `AlertAction` is the base class of what is done when one holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.utils.plugins import PlugInPlace
from focused.utils.setting import SERVER, USER, Setting
from focused.utils.words import duration, quantity

if TYPE_CHECKING:
    from collections.abc import Awaitable, Mapping

    from scrapy.crawler import Crawler
    from typing_extensions import Self

HARVEST, HOSTS, DISK, NO_PAGE, SATURATED = "harvest", "hosts", "disk", "no_page", "saturated"
ALERT = "alert_"
"""Begins the reason for which a crawl ends by an alert; the alert's name follows."""
NAMES = (HARVEST, HOSTS, DISK, NO_PAGE, SATURATED)

# fmt: off
HARVEST_BELOW = Setting(
    "FOCUSED_ALERT_HARVEST_BELOW", 0.0,
    "Alert `harvest`: fewer than this share of the last FOCUSED_ALERT_HARVEST_PAGES pages are relevant. 0: never.",
    least=0, most=1, set_by=USER)
HARVEST_PAGES = Setting(
    "FOCUSED_ALERT_HARVEST_PAGES", 200, "Pages that the alert `harvest` looks at.", least=1, most=1_000_000, set_by=USER)
FAILING_HOSTS = Setting(
    "FOCUSED_ALERT_FAILING_HOSTS", 0, "Alert `hosts`: so many hosts, or more, do not answer at present. 0: never.", least=0,
    set_by=USER)
DISK_MB = Setting(
    "FOCUSED_ALERT_DISK_MB", 500.0,
    "Alert `disk`: less than so many megabytes are left on the disk of the run directory. 0: never. At 8 MB the crawl ends.",
    least=0, set_by=USER)
NO_PAGE_MINUTES = Setting(
    "FOCUSED_ALERT_NO_PAGE_MINUTES", 15.0, "Alert `no_page`: no page has come for so many minutes. 0: never.", least=0,
    set_by=USER)
WHEN_SATURATED = Setting(
    "FOCUSED_ALERT_SATURATED", True,
    "Alert `saturated`: hardly anything new comes in ([saturation](../method/forecast.md#saturation)).", set_by=USER)
STOPS = Setting(
    "FOCUSED_ALERT_STOPS", "",
    "Alerts that end the crawl, by name, separated by commas: `disk,no_page`. The finish reason is `alert_NAME`.",
    set_by=USER)
ACTIONS = Setting(
    "FOCUSED_ALERT_ACTIONS", "",
    "Classes whose method `act` is called when an alert begins, separated by commas: [alerts](../how-to/alerts.md).",
    set_by=SERVER)
INTERVAL_SECS = Setting(
    "FOCUSED_ALERT_INTERVAL_SECS", 5.0, "Seconds between two looks at the conditions of alerts.", least=0.05, set_by=USER)
# fmt: on
ALERT_SETTINGS = (
    *(HARVEST_BELOW, HARVEST_PAGES, FAILING_HOSTS, DISK_MB, NO_PAGE_MINUTES, WHEN_SATURATED),
    *(STOPS, ACTIONS, INTERVAL_SECS),
)
ALERT_ACTIONS = PlugInPlace(
    "alert action", "focused.alert_actions", "focused.crawl.alerts.AlertAction", ("act",), "docs/how-to/alerts.md"
)
_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Alert:
    """A condition that holds."""

    #: One of `NAMES`.
    name: str
    #: What is so, for people.
    text: str


class AlertAction:
    """Base class of what is done when an alert begins: send a mail, call somebody, write somewhere.

    ``act`` is called once each time that a condition begins to hold, in the process of the crawl: what takes long must be
    asynchronous (``async def act``) or done elsewhere. What it raises is logged and counted, and the crawl goes on.
    """

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        """Return the action for a crawl; by default without arguments."""
        return cls()

    def act(self, alert: Alert, crawler: Crawler) -> Awaitable[None] | None:
        """Do something about an alert that has begun."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class AlertFacts:
    """What conditions are looked at by."""

    #: Of the last FOCUSED_ALERT_HARVEST_PAGES pages: how many there are, and how many of them are relevant.
    n_last: int = 0
    n_last_relevant: int = 0
    #: Hosts that do not answer, and why.
    failing: tuple[tuple[str, str], ...] = ()
    free_bytes: float = float("inf")
    secs_without_page: float = 0.0
    #: What is so if the crawl is saturated; else empty.
    saturated: str = ""


class Conditions:
    """The conditions that settings describe; a `PlanError` names what cannot be."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        self._least_share, self.n_pages = HARVEST_BELOW.read(settings), HARVEST_PAGES.read(settings)
        self._most_failing, self._least_mb = FAILING_HOSTS.read(settings), DISK_MB.read(settings)
        self._most_secs = 60 * NO_PAGE_MINUTES.read(settings)
        self._is_saturated = WHEN_SATURATED.read(settings)
        self.stops = _names(STOPS.read(settings))
        if unknown := [name for name in self.stops if name not in NAMES]:
            raise PlanError(f"{STOPS.name} must be some of {', '.join(NAMES)}. Got {', '.join(unknown)!r}.")
        self.actions = [ALERT_ACTIONS.load(name) for name in _names(ACTIONS.read(settings))]

    def alerts_of(self, facts: AlertFacts) -> dict[str, Alert]:
        """Return the alerts whose conditions hold, by name."""
        return {name: Alert(name, text) for name, text in zip(NAMES, self._texts(facts), strict=True) if text}

    def _texts(self, facts: AlertFacts) -> tuple[str, ...]:
        share = facts.n_last_relevant / max(facts.n_last, 1)
        is_poor = facts.n_last >= self.n_pages and share < self._least_share
        named = [f"{host} ({why})" for host, why in facts.failing[:_MOST_NAMED]]
        more = len(facts.failing) - len(named)
        failing = f"{', '.join(named)}{f' and {more:,} more' if more else ''}"
        is_failing = 0 < self._most_failing <= len(facts.failing)
        is_full = facts.free_bytes < 1e6 * self._least_mb
        is_still = 0 < self._most_secs <= facts.secs_without_page
        return (
            f"{share:.0%} of the last {quantity(self.n_pages, 'pages')} are relevant, less than {self._least_share:.0%}"
            if is_poor
            else "",
            f"{quantity(len(facts.failing), 'hosts')} not answering: {failing}" if is_failing else "",
            f"{facts.free_bytes / 1e6:,.0f} MB of disk are left" if is_full else "",
            f"no page has come for {duration(facts.secs_without_page)}" if is_still else "",
            facts.saturated if self._is_saturated else "",
        )


def _names(text: str) -> list[str]:
    """Return the names of a list.

    >>> _names(" disk, no_page,")
    ['disk', 'no_page']
    """
    return [name for part in text.split(",") if (name := part.strip())]
