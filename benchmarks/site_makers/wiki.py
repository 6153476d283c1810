"""A wiki: histories, differences, old versions, editing, print views, links to a page, changes, talk, people.

What a list counts for (docs/results/traps-tried.md) was chosen on it, too.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, ClassVar

from web_makers.pages import bullets, document, link, row

from site_makers.site import Site, Target, told

if TYPE_CHECKING:
    from collections.abc import Mapping

    from site_makers.site import Maker

_N_CATEGORIES, _A_LIST, _N_PEOPLE, _N_VERSIONS = 20, 25, 60, 10**5
_PLACES = {"Category": "category", "Talk": "talk", "User": "person"}
_SPECIAL = {"WhatLinksHere": "links here", "RecentChanges": "changes", "RelatedChanges": "changes", "Did": "did"}
_ACTIONS = {"edit": "edit", "history": "history", "info": "information"}
_DONE = ("typo", "rv", "copy-edit", "links", "see talk", "more", "tidied", "category")


class Wiki(Site):
    """Articles link to eight others; categories list them by number, 25 a page."""

    name = "wiki"
    topic = "science"
    others = ("net", "admin", "mail", "web", "editors")
    n_items: ClassVar = (220, 580)
    item_kind = "article"
    honest: ClassVar = frozenset({"home", "category"})
    traps: ClassVar = frozenset({
        *(_SPECIAL.values()), *_ACTIONS.values(), "talk", "person", "difference", "old version", "print", "again"
    })  # fmt: skip

    def kind(self, url: str) -> str:
        """Return what kind of page a URL is, empty if there is none."""
        folders, query = Target.of(url)
        if folders == ["w", "index.php"]:
            kind = _ACTIONS.get(query.get("action", ""), "article")
            named = {"diff": "difference", "oldid": "old version", "printable": "print"}
            kind = next((named[name] for name in named if name in query), kind)
            return kind if self._number_of(query.get("title", "")) is not None else ""
        if folders[0] != "wiki" or len(folders) < 2:
            return "home" if folders == [""] else ""
        space, _, name = folders[1].rpartition(":")
        if space == "Special":
            return _SPECIAL.get(name, "")
        if space:
            return _PLACES.get(space, "")
        return "article" if self._number_of(name) is not None else ""

    def number(self, url: str) -> int:
        """Return which item the page of an item shows."""
        folders, query = Target.of(url)
        name = query["title"] if folders[0] == "w" else folders[-1].rpartition(":")[2]
        found = self._number_of(name)
        assert found is not None, url
        return found

    def _number_of(self, name: str) -> int | None:
        number = name.rpartition("_")[2]
        return int(number) if number.isdigit() and int(number) < len(self.items) else None

    def _name(self, number: int) -> str:
        words = "".join(each if each.isalnum() else " " for each in self.items[number].summary).split()
        return "_".join([*words[:3], str(number)])

    @property
    def makers(self) -> Mapping[str, Maker]:
        """What makes the title and the body of each kind of page."""
        return {
            "home": self._home,
            "article": self._article,
            "category": self._category,
            "talk": self._talk,
            "person": self._person,
            "links here": self._links_here,
            "changes": self._changes,
            "did": self._changes,
            "edit": self._edit,
            "history": self._history,
            "information": self._information,
            "difference": self._difference,
            "old version": self._old_version,
            "print": self._print,
        }

    def framed(self, url: str, title: str, body: str) -> bytes:
        """Return a page with what the site puts around each."""
        menu = [("/", "Main page"), *((f"/wiki/Category:{n}", f"Category {n}") for n in range(0, _N_CATEGORIES, 4))]
        tools = [("/wiki/Special:RecentChanges", "Recent changes")] if self.has_traps else []
        around = f"<nav>{row([*menu, *tools])}</nav>"
        return document(f"{title} - The Wiki", f"{around}{body}<footer>Text is free to use.</footer>")

    def _old(self, number: int, *key: object) -> tuple[int, int]:
        draw = self.draw("version", number, *key)
        return draw.randrange(_N_VERSIONS), draw.randrange(_N_PEOPLE)

    def _url(self, number: int, query: str = "") -> str:
        return f"/w/index.php?title={self._name(number)}&{query}" if query else f"/wiki/{self._name(number)}"

    def _to(self, number: int) -> str:
        return self.to(number, self._url(number))

    def _home(self, _url: str) -> tuple[str, str]:
        shown = "<br>".join(self._to(each) for each in range(0, len(self.items), 40))
        categories = row((f"/wiki/Category:{n}", f"Category {n}") for n in range(_N_CATEGORIES))
        return "Main page", f"<h1>Main page</h1>{shown}<p>{categories}</p>"

    def _article(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        related = bullets(((self._url(each), self.items[each].summary) for each in self.near(number, 8)), "See also")
        category = f"<p>{link(f'/wiki/Category:{number % _N_CATEGORIES}', 'Its category')}</p>"
        traps = self._traps_of(number) if self.has_traps else ""
        return item.summary, f"{traps}{self.whole(item)}{related}{category}"

    def _traps_of(self, number: int) -> str:
        draw = self.draw("traps", number)
        old, person = self._old(number, "latest")
        return row(
            [
                (f"/wiki/Talk:{self._name(number)}", "Discussion"),
                (self._url(number, "action=edit"), "Edit"),
                (self._url(number, f"action=edit&section={draw.randrange(1, 4)}"), "Edit this section"),
                (self._url(number, "action=history"), "History"),
                (f"/wiki/Special:WhatLinksHere/{self._name(number)}", "What links here"),
                (f"/wiki/Special:RelatedChanges/{self._name(number)}", "Related changes"),
                (self._url(number, "printable=yes"), "Printable version"),
                (self._url(number, f"oldid={old}"), "Permanent link"),
                (self._url(number, "action=info"), "Page information"),
                (self._url(number, "redirect=no"), self.items[number].summary),
                (self._url(number, f"diff={old + 1}&oldid={old}"), "Latest change"),
                (f"/wiki/User:{person}", f"Last changed by {person}"),
                (f"/wiki/Special:Did/{person}", "what they did"),
            ]
        )

    def _category(self, url: str) -> tuple[str, str]:
        category = int(self._last(url)) % _N_CATEGORIES
        found = range(category, len(self.items), _N_CATEGORIES)[:_A_LIST]
        shown = bullets((self._url(each), self.items[each].summary) for each in found)
        return f"Category {category}", f"<h1>Category {category}</h1>{shown}"

    @staticmethod
    def _last(url: str) -> str:
        return Target.of(url).folders[-1].rpartition(":")[2]

    def _talk(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        draw = self.draw("talk", number)
        title = f"Talk: {self.items[number].summary}"
        if draw.random() < 0.6:
            start = link(f"/w/index.php?title={self._name(number)}&action=edit&new={draw.randrange(99)}", "Start it")
            return title, f"<h1>{escape(title)}</h1><p>There is no text on this page yet.</p>{start}"
        said = told(draw.sample(self._small_talk, 2))
        return title, f"<h1>{escape(title)}</h1>{said}{self._people(draw.sample(range(_N_PEOPLE), 2))}"

    def _people(self, people: list[int]) -> str:
        return " ".join(
            link(f"/wiki/User:{each}", f"Person {each}") + " " + link(f"/wiki/Special:Did/{each}", "what they did")
            for each in people
        )

    def _person(self, url: str) -> tuple[str, str]:
        person = int(self._last(url))
        said = self.draw("person", person).choice(self._small_talk)
        return f"Person {person}", f"<h1>Person {person}</h1><p>{escape(said[:120])}</p>{self._people([person])}"

    def _lines(self, url: str, count: int) -> str:
        """Return lines of a list of changes, each with links to a difference, a history and a person."""
        draw = self.draw("lines", url)
        lines = ""
        for each in draw.sample(range(len(self.items)), count):
            old, person = self._old(each, url)
            lines += (
                f"<li>{link(self._url(each, f'diff={old + 1}&oldid={old}'), 'diff')}"
                f" {link(self._url(each, 'action=history'), 'hist')} {self._to(each)}"
                f" {draw.randrange(24)}:{draw.randrange(60):02d} ({draw.randrange(-900, 900):+})"
                f" {link(f'/wiki/User:{person}', f'Person {person}')} ({draw.choice(_DONE)})</li>"
            )
        return f"<ul>{lines}</ul>"

    def _changes(self, url: str) -> tuple[str, str]:
        folders, _query = Target.of(url)
        draw = self.draw("changes", url)
        path = f"/{'/'.join(folders)}"
        shown = row((f"{path}?days={days}&limit={draw.choice((50, 100, 250))}", f"{days} days") for days in (1, 7, 30))
        older = link(f"{path}?from={draw.randrange(10**8):014d}&limit=50", "Older changes")
        title = "Recent changes" if folders[1].endswith("RecentChanges") else f"Changes: {folders[-1]}"
        return title, f"<h1>{escape(title)}</h1><p>{shown}</p>{self._lines(url, 12)}{older}"

    def _links_here(self, url: str) -> tuple[str, str]:
        folders, _query = Target.of(url)
        draw = self.draw("links here", url)
        path = f"/{'/'.join(folders)}"
        shown = "".join(
            f"<li>{self._to(each)} ({link(f'/wiki/Special:WhatLinksHere/{self._name(each)}', 'links')})</li>"
            for each in draw.sample(range(len(self.items)), 8)
        )
        more = row((f"{path}?limit={n}&from={draw.randrange(10**5)}", f"next {n}") for n in (20, 50, 100))
        title = f"Pages that link to {folders[-1]}"
        return title, f"<h1>{escape(title)}</h1><p>{more}</p><ul>{shown}</ul>"

    def _edit(self, url: str) -> tuple[str, str]:
        item = self.items[self.number(url)]
        section = Target.of(url).query.get("section")
        chosen = item.paragraphs if section is None else item.paragraphs[:1]
        title = f"Editing {item.summary}"
        said = "<p>You are not logged in. Your address will stand in the page's history.</p>"
        return title, f"<h1>{escape(title)}</h1>{said}<form><textarea>{escape(' '.join(chosen))}</textarea></form>"

    def _history(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        draw = self.draw("history", url)
        lines = ""
        for nth in range(10):
            old, person = self._old(number, url, nth)
            lines += (
                f"<li>{link(self._url(number, f'diff={old + 1}&oldid={old}'), 'prev')}"
                f" {link(self._url(number, f'oldid={old}'), f'{draw.randrange(24)}:00, {draw.randrange(1, 29)} May')}"
                f" {link(f'/wiki/User:{person}', f'Person {person}')} ({draw.choice(_DONE)})</li>"
            )
        older = link(self._url(number, f"action=history&offset={draw.randrange(10**8):014d}"), "older 50")
        title = f"History of {self.items[number].summary}"
        return title, f"<h1>{escape(title)}</h1>{older}<ul>{lines}</ul>"

    def _information(self, url: str) -> tuple[str, str]:
        title = f"Information on {self.items[self.number(url)].summary}"
        draw = self.draw("information", url)
        facts = told(
            f"{name}: {draw.randrange(9999)}" for name in ("Length", "Watchers", "Views", "Changes", "Redirects")
        )
        return title, f"<h1>{escape(title)}</h1>{facts}"

    def _difference(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        paragraph = self.draw("difference", url).choice(item.paragraphs)[:300]
        cells = "".join(f"<td>{escape(each)}</td>" for each in (paragraph, f"{paragraph} {len(paragraph)}"))
        traps = self._traps_of(number)
        title = f"{item.summary}: difference between versions"
        return title, f"{traps}<h1>{escape(title)}</h1><table><tr>{cells}</tr></table>{told(item.paragraphs)}"

    def _old_version(self, url: str) -> tuple[str, str]:
        number = self.number(url)
        item = self.items[number]
        draw = self.draw("old version", url)
        words = item.text.split()
        for _ in range(len(words) // 25):
            words[draw.randrange(len(words))] = draw.choice(draw.choice(self._small_talk).split())
        return item.summary, f"{self._traps_of(number)}<h1>{escape(item.summary)}</h1>{told([' '.join(words)])}"

    def _print(self, url: str) -> tuple[str, str]:
        item = self.items[self.number(url)]
        return item.summary, self.whole(item)
