"""A site of stories: print copies, replies, a log-in, a calendar, lists in other orders, session ids, a soft 404."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from web_makers.pages import bullets, document, link

from site_makers.site import Site, Target

if TYPE_CHECKING:
    from collections.abc import Mapping

    from site_makers.site import Maker

_KINDS = {
    "": "home",
    "s": "story",
    "print": "print",
    "reply": "reply",
    "login": "log-in",
    "cal": "calendar",
    "list": "list",
    "old": "soft 404",
}


class Stories(Site):
    """Stories link to nine others, and the front page to thirty."""

    name = "stories"
    topic = "games"
    others = ("net", "admin", "python", "text", "web")
    n_items: ClassVar = (250, 650)
    item_kind = "story"
    honest: ClassVar = frozenset({"home"})
    traps: ClassVar = frozenset({*_KINDS.values(), "again"}) - {"home", "story"}

    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""
        folders = Target.of(url).folders
        kind = _KINDS.get(folders[0], "")
        if kind in ("story", "print", "reply"):
            return kind if len(folders) == 2 and folders[1].isdigit() and int(folders[1]) < len(self.items) else ""
        return kind

    @property
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""
        return {
            "home": self._home,
            "story": self._story,
            "print": self._print,
            "reply": self._reply,
            "log-in": self._log_in,
            "calendar": self._calendar,
            "list": self._list,
            "soft 404": self._soft_404,
        }

    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""
        return document(title, f"{link('/', 'Home')}{body}<div>(c) the site</div>")

    def _home(self, _url: str) -> tuple[str, str]:
        shown = "<br>".join(self.to(each, f"/s/{each}") for each in range(0, len(self.items), 30))
        return "Start", f"<h1>Start</h1>{shown}"

    def _story(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        draw = self.draw("story", url)
        session = f"?PHPSESSID={draw.randrange(10**9):09d}"
        related = bullets(
            (f"/s/{each}{session if self.has_traps and draw.random() < 0.3 else ''}", self.items[each].summary)
            for each in self.near(number, 9)
        )
        return item.summary, f"{self.whole(item)}{related}{self._traps_of(number, url) if self.has_traps else ''}"

    def _traps_of(self, number: int, url: str) -> str:
        draw = self.draw("traps", url)
        day = f"/cal/2026/{draw.randrange(1, 13)}/{draw.randrange(1, 29)}"
        return " ".join(
            [
                self.to(number, f"/print/{number}", after=" (print)"),
                self.to(number, f"/reply/{number}?to={draw.randrange(99)}", "Reply to "),
                link(f"/login?return={quote(url)}", "Log in"),
                link(day, "Calendar"),
                self.to(number, self._a_list("list", url), "More like "),
                self.to(draw.choice(self._relevant), f"/old/{draw.randrange(10**6)}"),
            ]
        )

    def _print(self, url: str) -> tuple[str, str]:
        item = self.items[self.number(url)]
        return item.summary, self.whole(item)

    def _reply(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        again = link(f"/reply/{number}?to={self.draw('reply', url).randrange(10**6)}", "Reply to this")
        begin = escape(item.paragraphs[0][:200])
        form = "<form><textarea></textarea></form>"
        return item.summary, f"<h1>Reply to {escape(item.summary)}</h1><p>{begin}</p>{form}{again}"

    def _log_in(self, _url: str) -> tuple[str, str]:
        return "Log in", "<h1>Log in</h1><form></form>"

    def _calendar(self, url: str) -> tuple[str, str]:
        draw = self.draw("calendar", url)
        title = f"Calendar {'-'.join(Target.of(url).folders[1:])}"
        night = self.items[draw.choice(self._relevant)].summary
        days = "".join(
            link(f"/cal/{2000 + draw.randrange(60)}/{draw.randrange(1, 13)}/{draw.randrange(1, 29)}", "day") + " "
            for _ in range(12)
        )
        said = escape(draw.choice(self._small_talk))
        return title, f"<h1>{title}</h1><p>{said}</p><p>Game night: {escape(night)}</p>{days}"

    def _list(self, url: str) -> tuple[str, str]:
        draw = self.draw("list", url)
        shown = "<br>".join(self.to(each, f"/s/{each}") for each in draw.sample(range(len(self.items)), 15))
        orders = " ".join(link(self._a_list(each, url), f"sort {each}") for each in range(10))
        return "Stories", f"<h1>Stories</h1>{shown}<br>{orders}"

    def _a_list(self, *key: object) -> str:
        draw = self.draw("a list", *key)
        tag, sort, page, view = (draw.randrange(n) for n in (9, 5, 30, 3))
        return f"/list?tag={tag}&sort={sort}&page={page}&view={view}"

    def _soft_404(self, url: str) -> tuple[str, str]:
        draw = self.draw("soft 404", url)
        shown = "".join(
            f"<p>{self.to(each, f'/old/{draw.randrange(10**6)}')} {escape(self.items[each].paragraphs[0][:120])}</p>"
            for each in draw.sample(self._relevant, 6)
        )
        return "Page not found", f"<h1>Sorry, that page has moved</h1><p>You may like these:</p>{shown}"
