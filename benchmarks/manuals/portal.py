"""The web ``docs``: seventeen manuals, each with a host of its own, behind the front page of a portal."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from manuals import portal_programming, portal_software, portal_systems
from manuals.web import ManualWeb, links

if TYPE_CHECKING:
    from manuals.packages import Packages

HOME = "http://www.portal.example/"
MANUALS = [*portal_software.MANUALS, *portal_programming.MANUALS, *portal_systems.MANUALS]


def docs(packages: Packages) -> ManualWeb:
    """Seventeen hosts behind a portal; labels are subjects that several manuals cover.

    From the front page it takes two links to a manual, and more to its pages.
    """
    web = ManualWeb("docs", HOME)
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for group, title, add in MANUALS:
        groups[group].append((add(web, packages), title))
    web.add_page(
        HOME, "A portal of documentation", links((f"{HOME}{group}.html", group.capitalize()) for group in groups)
    )
    for group, manuals in groups.items():
        back = f'<p><a href="{HOME}">Home</a></p>'
        web.add_page(f"{HOME}{group}.html", group.capitalize(), back, links(manuals))
    return web
