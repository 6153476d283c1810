"""A site of threads: single posts, quotes, pages to report and share, members, search results, threads side by side."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import quote

from web_makers.pages import bullets, document, link, row

from site_makers.site import Site, Target, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from site_makers.site import Maker

_KINDS = {
    "": "home",
    "b": "board",
    "t": "thread",
    "post": "post",
    "quote": "quote",
    "report": "report",
    "member": "member",
    "search": "search",
    "compare": "compare",
    "share": "share",
}
_N_BOARDS, _BOARD_STEP, _N_MEMBERS = 5, 45, 120


class Threads(Site):
    """Threads have a long first post and a few short ones; they link to eight others."""

    name = "threads"
    topic = "sound"
    others = ("graphics", "math", "editors", "science", "mail", "utils")
    n_items: ClassVar = (180, 520)
    item_kind = "thread"
    honest: ClassVar = frozenset({"home", "board"})
    traps: ClassVar = frozenset({*_KINDS.values(), "again"}) - {"home", "board", "thread"}

    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""
        folders = Target.of(url).folders
        kind = _KINDS.get(folders[0], "")
        if kind in ("thread", "share", "post", "quote"):
            number, _, post = folders[1].partition("-")
            if not number.isdigit() or int(number) >= len(self.items):
                return ""
            return kind if not post or int(post) < len(self._posts(int(number))) else ""
        return kind

    @property
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""
        return {
            "home": self._home,
            "board": self._board,
            "thread": self._thread,
            "post": self._post,
            "quote": self._post,
            "report": self._report,
            "member": self._member,
            "search": self._search,
            "compare": self._compare,
            "share": self._share,
        }

    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""
        head = f"<div>{row([('/', 'Home'), ('/b/0', 'Boards')])}</div>"
        return document(title, f"{head}{body}<div>Powered by software. All times are local.</div>")

    def _posts(self, number: int) -> list[tuple[int, list[str]]]:
        draw = self.draw("posts", number)
        own = list(self.items[number].paragraphs)
        posts = [(draw.randrange(_N_MEMBERS), own)]
        for _ in range(draw.randrange(1, 4)):
            quoted = [f"> {draw.choice(own)[:150]}"] if draw.random() < 0.5 else []
            posts.append((draw.randrange(_N_MEMBERS), [draw.choice(self._small_talk), *quoted]))
        return posts

    def _home(self, _url: str) -> tuple[str, str]:
        shown = "<br>".join(self.to(each, f"/t/{each}") for each in range(0, len(self.items), 35))
        boards = row((f"/b/{board}", f"Board {board}") for board in range(_N_BOARDS))
        return "Forum", f"<h1>Forum</h1>{shown}<br>{boards}"

    def _board(self, url: str) -> tuple[str, str]:
        board = int(Target.of(url).folders[1])
        shown = bullets((f"/t/{each}", self.items[each].summary) for each in range(board, len(self.items), _BOARD_STEP))
        return f"Board {board}", f"<h1>Board {board}</h1>{shown}"

    def _thread(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        draw = self.draw("thread", url)
        posts = list(enumerate(self._posts(number)))
        if Target.of(url).query.get("order") == "new":
            posts.reverse()
        shown = ""
        for nth, (member, texts) in posts:
            tools = self._tools_of(number, nth, member) if self.has_traps else ""
            shown += f"<div class=post>{told(texts)}{tools}</div>"
        related = bullets(
            (f"/t/{each}{'?order=new' if self.has_traps and draw.random() < 0.15 else ''}", self.items[each].summary)
            for each in self.near(number, 8)
        )
        traps = self._traps_of(number, url) if self.has_traps else ""
        return item.summary, f"<h1>{escape(item.summary)}</h1>{shown}{traps}{related}"

    def _tools_of(self, number: int, nth: int, member: int) -> str:
        draw = self.draw("tools", number, nth)
        return " ".join(
            [
                self.to(number, f"/post/{number}-{nth}", f"#{nth} "),
                link(f"/quote/{number}-{nth}?from={draw.randrange(9999)}", "Quote"),
                link(f"/report?post={number}-{nth}&type={draw.randrange(3)}", "Report"),
                link(f"/member/{member}", f"Member {member}"),
            ]
        )

    def _traps_of(self, number: int, url: str) -> str:
        draw = self.draw("traps", url)
        word = quote(self.items[number].summary.split()[0])
        other = draw.choice(self.near(number, 8))
        return " ".join(
            [
                self.to(number, f"/t/{number}?order=new", after=", newest first"),
                self.to(number, _a_search(word, draw.randrange(20), draw.randrange(3)), "Search for "),
                self.to(number, f"/compare?a={number}&b={other}", "Compare "),
                self.to(number, f"/share/{number}/{draw.randrange(9)}", "Share "),
            ]
        )

    def _post(self, url: str) -> tuple[str, str]:
        what, which = Target.of(url).folders
        number, nth = map(int, which.split("-"))
        title = f"{what.title()}: {self.items[number].summary}"
        around = self.to(number, f"/t/{number}", "Thread: ") if what == "post" else "<form></form>"
        again = self.to(number, f"/quote/{which}?from={self.draw('post', url).randrange(9999)}", "Quote ")
        said = told(self._posts(number)[nth][1])
        return title, f"<h1>{escape(title)}</h1><blockquote>{said}</blockquote>{around} {again}"

    def _report(self, _url: str) -> tuple[str, str]:
        return "Report a post", "<h1>Report a post</h1><p>Tell the moderators what is wrong.</p><form></form>"

    def _member(self, url: str) -> tuple[str, str]:
        member = int(Target.of(url).folders[1])
        draw = self.draw("member", member)
        shown = "".join(
            f"<p>{self.to(each, f'/post/{each}-0')}: {escape(self.items[each].paragraphs[0][:100])}</p>"
            for each in draw.sample(range(len(self.items)), 5)
        )
        joined = f"<p>Joined in {1990 + member % 30}. Posts: {draw.randrange(500)}</p>"
        return f"Member {member}", f"<h1>Member {member}</h1>{joined}{shown}"

    def _search(self, url: str) -> tuple[str, str]:
        draw = self.draw("search", url)
        word = quote(Target.of(url).query.get("q", "x"))
        shown = "".join(
            f"<p>{self.to(each, f'/t/{each}')} {escape(self.items[each].paragraphs[0][:90])}</p>"
            for each in draw.sample(range(len(self.items)), 8)
        )
        pages = row((_a_search(word, draw.randrange(90), draw.randrange(3)), str(page)) for page in range(6))
        return "Search results", f"<h1>Search results</h1>{shown}{pages}"

    def _compare(self, url: str) -> tuple[str, str]:
        first, second = (int(Target.of(url).query[key]) for key in "ab")
        cells = "".join(
            f"<td><h2>{escape(self.items[each].summary)}</h2>{escape(self.items[each].text[:400])}</td>"
            for each in (first, second)
        )
        others = self.draw("compare", url).sample(range(len(self.items)), 4)
        more = "<br>".join(self.to(each, f"/compare?a={first}&b={each}", "Compare with ") for each in others)
        return "Compare", f"<h1>Compare</h1><table><tr>{cells}</tr></table>{more}"

    def _share(self, url: str) -> tuple[str, str]:
        number = int(Target.of(url).folders[1])
        item = self.items[number]
        said = f"Send this to a friend: {item.summary}. {item.paragraphs[0][:140]}"
        again = self.to(number, f"/share/{number}/{self.draw('share', url).randrange(10**6)}", "Share ")
        return f"Share: {item.summary}", f"<h1>Share</h1><p>{escape(said)}</p><form></form>{again}"


def _a_search(word: str, start: int, order: int) -> str:
    return f"/search?q={word}&start={start * 10}&by={order}"
