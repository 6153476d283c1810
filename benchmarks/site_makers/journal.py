"""A journal on the web: archives by year, month and day, tags together, replies to comments, feeds, other forms and languages.

No constant of the project was chosen on it. One rule without a constant was made after a look at it (docs/results/traps.md).
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar

from web_makers.pages import bullets, document, link, row

from site_makers.site import Site, Target, told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from site_makers.site import Maker

_A_PAGE, _N_TAGS, _N_AUTHORS, _FIRST_YEAR, _N_YEARS = 10, 24, 9, 2012, 14
_BY_QUERY = {"replytocom": "reply", "share": "share", "lang": "language", "sort": "order"}
_BEHIND = {"amp": "other form", "feed": "feed", "gallery": "picture"}
_LANGUAGES = ("de", "fr", "es", "it")
_NETWORKS = ("mail", "chat", "wall")


class Journal(Site):
    """Posts link to the one before, the one after and five others; the front page goes on page by page, ten posts each."""

    name = "journal"
    topic = "math"
    others = ("net", "games", "sound", "text", "admin")
    n_items: ClassVar = (200, 600)
    item_kind = "post"
    honest: ClassVar = frozenset({"home", "page", "tag"})
    traps: ClassVar = frozenset({*_BY_QUERY.values(), *_BEHIND.values(), "archive", "tags", "author", "again"})

    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""
        folders, query = Target.of(url)
        by_query = next((_BY_QUERY[name] for name in _BY_QUERY if name in query), "")
        if folders == [""]:
            return by_query or "home"
        if folders[0] in ("page", "author"):
            return by_query or folders[0]
        if folders[0] == "tag":
            return by_query or ("tags" if "+" in folders[1] or folders[2:] else "tag")
        if len(folders) <= 3:
            return "archive" if all(map(str.isdigit, folders)) else ""
        number = folders[3].rpartition("-")[2]
        if not number.isdigit() or int(number) >= len(self.items):
            return ""
        return by_query or (_BEHIND.get(folders[4], "") if folders[4:] else "post")

    def number(self, url: str) -> int:
        """Return which item the page of an item shows."""
        return int(Target.of(url).folders[3].rpartition("-")[2])

    @property
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""
        return {
            "home": self._page,
            "page": self._page,
            "post": self._post,
            "tag": self._tag,
            "tags": self._tag,
            "archive": self._archive,
            "author": self._author,
            "reply": self._post,
            "share": self._share,
            "language": self._in_a_language,
            "order": self._any_order,
            "other form": self._other_form,
            "feed": self._feed,
            "picture": self._picture,
        }

    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""
        language = Target.of(url).query.get("lang", "en")
        menu = row([("/", "Home"), *((f"/tag/{n}", f"Tag {n}") for n in range(0, _N_TAGS, 6))])
        side = self._side(url) if self.has_traps else ""
        return document(
            f"{title} | A journal ({language})", f"<nav>{menu}</nav>{body}{side}<footer>Powered by it.</footer>"
        )

    def _side(self, url: str) -> str:
        """Return the archive of months, the names of languages, and tags that go together."""
        draw = self.draw("side", url)
        months = row(
            (f"/{_FIRST_YEAR + draw.randrange(_N_YEARS)}/{draw.randrange(1, 13):02d}/", "an earlier month")
            for _ in range(4)
        )
        path = url.partition("?")[0]
        languages = row((f"{path}?lang={each}", each) for each in _LANGUAGES)
        tags = row((f"/tag/{draw.randrange(_N_TAGS)}+{draw.randrange(_N_TAGS)}", "both") for _ in range(3))
        return f"<aside>{months}<p>{languages}</p>{tags}</aside>"

    def _day(self, number: int) -> tuple[int, int, int]:
        nth = number * _N_YEARS * 336 // len(self.items)
        return _FIRST_YEAR + nth // 336, nth % 336 // 28 + 1, nth % 28 + 1

    def _url(self, number: int, behind: str = "") -> str:
        year, month, day = self._day(number)
        words = "".join(each if each.isalnum() else " " for each in self.items[number].summary.lower()).split()
        return f"/{year}/{month:02d}/{day:02d}/{'-'.join(words[:4])}-{number}{behind}"

    def _teasers(self, numbers: Sequence[int]) -> str:
        return "".join(
            f"<article><h2>{self.to(each, self._url(each))}</h2><p>{escape(self.items[each].paragraphs[0][:160])} ..."
            f"</p></article>"
            for each in numbers
        )

    def _page(self, url: str) -> tuple[str, str]:
        folders, _query = Target.of(url)
        page = int(folders[1]) if folders[0] == "page" else 1
        found = range((page - 1) * _A_PAGE, len(self.items))[:_A_PAGE]
        older = link(f"/page/{page + 1}/", "Older posts") if page * _A_PAGE < len(self.items) else ""
        sorted_ = link(f"/page/{page}/?sort={self.draw('sort', url).randrange(9)}", "Sort") if self.has_traps else ""
        return f"Page {page}", f"<h1>A journal</h1>{self._teasers(found)}{older}{sorted_}"

    def _any_order(self, url: str) -> tuple[str, str]:
        draw = self.draw("order", url)
        shown = self._teasers(draw.sample(range(len(self.items)), _A_PAGE))
        path = url.partition("?")[0]
        return (
            "Posts in order",
            f"<h1>A journal</h1>{shown}{link(f'{path}?sort={draw.randrange(10**4)}', 'Sort again')}",
        )

    def _in_a_language(self, url: str) -> tuple[str, str]:
        path = url.partition("?")[0]
        return self.makers[self.kind(path)](path)

    def _post(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        beside = row(
            (self._url(each), self.items[each].summary)
            for each in (number - 1, number + 1)
            if 0 <= each < len(self.items)
        )
        related = bullets(
            ((self._again(number, each), self.items[each].summary) for each in self.near(number, 5)), "Related"
        )
        tags = row((f"/tag/{each}", f"Tag {each}") for each in (number % _N_TAGS, number * 7 % _N_TAGS))
        traps = self._traps_of(number) if self.has_traps else ""
        return item.summary, f"{self.whole(item)}<p>{tags}</p>{traps}<p>{beside}</p>{related}{self._comments(number)}"

    def _again(self, number: int, other: int) -> str:
        is_marked = self.has_traps and self.draw("marked", number, other).random() < 0.3
        return self._url(other, f"?ref={number}" if is_marked else "")

    def _comments(self, number: int) -> str:
        draw = self.draw("comments", number)
        said = ""
        for _ in range(draw.randrange(4)):
            reply = link(self._url(number, f"?replytocom={draw.randrange(10**5)}"), "Reply") if self.has_traps else ""
            said += f"<li>{escape(draw.choice(self._small_talk)[:150])} {reply}</li>"
        return said and f"<h3>Comments</h3><ol>{said}</ol>"

    def _traps_of(self, number: int) -> str:
        draw = self.draw("traps", number)
        year, month, day = self._day(number)
        author = number % _N_AUTHORS
        return " ".join(
            [
                link(f"/{year}/", str(year)),
                link(f"/{year}/{month:02d}/", f"{month}"),
                link(f"/{year}/{month:02d}/{day:02d}/", f"{day}"),
                link(f"/author/{author}/page/{draw.randrange(1, 40)}", f"By author {author}"),
                *(
                    link(self._url(number, f"?share={each}&nb={draw.randrange(9)}"), f"Share: {each}")
                    for each in _NETWORKS
                ),
                self.to(number, self._url(number, "/amp/"), after=" (for small screens)"),
                link(self._url(number, "/feed/"), "Comments as a feed"),
                link(self._url(number, f"/gallery/{draw.randrange(6)}"), "Pictures"),
            ]
        )

    def _tag(self, url: str) -> tuple[str, str]:
        tags = [int(each) for each in Target.of(url).folders[1].split("+")]
        found = [each for each in range(len(self.items)) if each % _N_TAGS in tags or each * 7 % _N_TAGS in tags]
        shown = self._teasers(found[: 2 * _A_PAGE])
        title = f"Posts with {' and '.join(f'tag {each}' for each in tags)}"
        draw = self.draw("tag", url)
        more = (
            row((f"/tag/{tags[0]}+{draw.randrange(_N_TAGS)}", f"and {n}") for n in range(5)) if self.has_traps else ""
        )
        return title, f"<h1>{title}</h1>{more}{shown}"

    def _archive(self, url: str) -> tuple[str, str]:
        wanted = [int(each) for each in Target.of(url).folders]
        found = [each for each in range(len(self.items)) if list(self._day(each)[: len(wanted)]) == wanted]
        title = f"Archive of {'/'.join(map(str, wanted))}"
        year, month, day = (*wanted, 1, 1)[:3]
        before = f"/{year - (month == 1)}/{(month - 2) % 12 + 1:02d}/"
        days = row((f"/{year}/{month:02d}/{each:02d}/", str(each)) for each in range(1, 29))
        none = "" if found else "<p>Nothing was written then.</p>"
        return (
            title,
            f"<h1>{title}</h1>{none}{self._teasers(found[:_A_PAGE])}{link(before, 'The month before')} {days} {day}",
        )

    def _author(self, url: str) -> tuple[str, str]:
        folders = Target.of(url).folders
        author, page = int(folders[1]), int(folders[3]) if len(folders) > 3 else 1
        found = range(author, len(self.items), _N_AUTHORS)
        shown = self._teasers(found[(page - 1) * 5 % len(found) :][:5])
        following = link(f"/author/{author}/page/{page + 1}", "Older")
        return f"Author {author}, page {page}", f"<h1>Author {author}</h1>{shown}{following}"

    def _share(self, url: str) -> tuple[str, str]:
        item = self.items[self.number(url)]
        said = f"{item.summary}: {item.paragraphs[0][:120]}"
        return (
            f"Share: {item.summary}",
            f"<h1>Share this post</h1><form><p>{escape(said)}</p><button>Send</button></form>",
        )

    def _other_form(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        others = bullets((self._url(each, "/amp/"), self.items[each].summary) for each in self.near(number, 5))
        return item.summary, f"{self.whole(item)}{others}"

    def _feed(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        title = f"Comments on {self.items[number].summary}"
        said = told(each[:150] for each in self.draw("feed", number).sample(self._small_talk, 2))
        return title, f"<h1>{escape(title)}</h1>{said}{self.to(number, self._url(number))}"

    def _picture(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        picture = int(Target.of(url).folders[-1])
        title = f"Picture {picture} of {self.items[number].summary}"
        beside = row((self._url(number, f"/gallery/{each}"), str(each)) for each in (picture + 1, picture + 2))
        return title, f"<h1>{escape(title)}</h1><p>Picture {picture}.</p>{beside} {self.to(number, self._url(number))}"
