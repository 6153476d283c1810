"""A neglected site: posts link to each other, and as often to what is gone or broken.

No constant of the project was chosen on it; the rule for links that lead to no page was made after a look at it.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar

from web_makers.pages import bullets, document, link

from site_makers.site import Site, Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from site_makers.site import Maker

_A_PAGE, _N_LISTS = 10, 10
_STATUS = {"old address": 404, "gone file": 404, "gone item": 410, "broken": 500}


class Gone(Site):
    """Each post links to five posts, four old addresses of posts, two files (one is gone), three gone or broken items."""

    name = "gone"
    topic = "math"
    others = ("net", "games", "sound", "text", "admin")
    n_items: ClassVar = (250, 600)
    item_kind = "post"
    honest: ClassVar = frozenset({"home", "list", "file"})
    traps: ClassVar = frozenset(_STATUS)

    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""
        folders, _query = Target.of(url)
        first, number = folders[0], folders[-1].rpartition("-")[2]
        if folders == [""]:
            return "home"
        if first in ("old", "show", "api"):
            return {"old": "old address", "show": "gone item", "api": "broken"}[first]
        if len(folders) != 2 or not number.isdigit():
            return ""
        if first == "files":
            return "gone file" if int(number) % 2 else "file"
        return first if first == "list" or (first == "post" and int(number) < len(self.items)) else ""

    def status(self, url: str) -> int:
        """Return what the site answers with."""
        kind = self.kind(url)
        return _STATUS.get(kind, 200) if kind else 404

    @property
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""
        made: dict[str, Maker] = dict.fromkeys(_STATUS, self._nothing)
        return {**made, "home": self._list, "list": self._list, "post": self._post, "file": self._file}

    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""
        return document(title, body)

    def _nothing(self, url: str) -> tuple[str, str]:
        return "Not here", "<p>Not here.</p>"

    def _list(self, url: str) -> tuple[str, str]:
        nth = int(Target.of(url).folders[-1] or 0)
        shown = range(nth * _A_PAGE, len(self.items))[:_A_PAGE]
        lists = [(f"/list/{each}", f"Page {each}") for each in range(1, _N_LISTS)]
        posts = [(f"/post/{each}", self.items[each].summary) for each in shown]
        return f"Page {nth}", bullets(posts) + bullets(lists) + link(f"/list/{nth + 1}", "Next")

    def _post(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item, near = self.items[number], self.near(number, 9)
        related = bullets([(f"/post/{each}", self.items[each].summary) for each in near[:5]], "Related")
        return item.summary, self.whole(item) + related + (self._gone(number, near[5:]) if self.has_traps else "")

    def _gone(self, number: int, old: list[int]) -> str:
        links = [(f"/old/{'-'.join(self.items[each].summary.lower().split()[:3])}-{each}", each) for each in old]
        links += [(f"/files/doc-{2 * number + each}", 2 * number + each) for each in range(2)]
        links += [(f"/show?item={3 * number + each}", 3 * number + each) for each in range(2)]
        links.append((f"/api/item/{2 * number}", 2 * number))
        return bullets([(url, self.items[each % len(self.items)].summary) for url, each in links], "See also")

    def _file(self, url: str) -> tuple[str, str]:
        item = self.items[int(url.rpartition("-")[2]) * 7 % len(self.items)]
        return f"File: {item.summary}", f"<p>{escape(' '.join(reversed(item.text.split())))}</p>"
