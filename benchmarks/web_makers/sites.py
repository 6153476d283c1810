"""Many small hosts behind lists: each source package is a site, each maintainer a host with a list of theirs.

A site has a front page, a page on each of its parts, and a page of links: to the sites of what it needs, to its
maintainers, to the next site of the ring. A directory lists half of the sites by alphabet, and the maintainers; the other
sites are found by maintainers' lists and other sites' links. Labels are the topics of the packages' tags.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

from manuals.web import ManualWeb

from web_makers.pages import bullets, chunks, document, link, paragraphs, row
from web_makers.tags import SCIENCES, Package, package, topics_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from web_makers.sources import Sources

_DIRECTORY = "http://www.directory.example/"
_SITES, _WITH_TOPIC, _LISTED = 1100, 0.6, 0.5
_A_LIST, _SHORTEST, _PARTS = 60, 200, 6
_NEWS = ("Version {} is out.", "We have released {}.", "New: version {}.", "{} can be downloaded.")
_LAYOUTS = (
    "<table><tr><td>{menu}<td><h1>{title}</h1>{body}</tr></table>",
    "<h1>{title}</h1><p>{menu}</p>{body}<hr>",
    "<div id=head><h1>{title}</h1></div><div id=main>{body}</div><div id=menu>{menu}</div>",
    "<nav>{menu}</nav><article><h1>{title}</h1>{body}</article><footer>Made by hand.</footer>",
)


def read(sources: Sources) -> list[Package]:
    """Read the packages that have tags, with their descriptions."""
    sources.update(["en"])
    texts = sources.descriptions("en")
    found = [package(part, {"en": texts[part["Package"]]}) for part in sources.packages() if part["Package"] in texts]
    return [one for one in found if one.tags]


def build(packages: Sequence[Package], seed: int, n_sites: int = _SITES) -> ManualWeb:
    """Make the sites of source packages that are drawn, most of them with a topic."""
    draw = random.Random(f"sites {seed}")
    groups: defaultdict[str, list[Package]] = defaultdict(list)
    slugs: dict[str, str] = {}
    for one in packages:
        # Two names that would have the same host are rare: the second one is left out.
        if slugs.setdefault(_slug(one.source), one.source) == one.source:
            groups[one.source].append(one)
    long = {name: found for name, found in sorted(groups.items()) if max(map(_length, found)) >= _SHORTEST}
    topics = {
        name: topics_of(frozenset(tag for one in found for tag in one.tags), SCIENCES) for name, found in long.items()
    }
    with_topic, without = ([name for name in long if bool(topics[name]) == has] for has in (True, False))
    n_topic = min(len(with_topic), int(n_sites * _WITH_TOPIC))
    chosen = draw.sample(with_topic, n_topic) + draw.sample(without, min(len(without), n_sites - n_topic))
    return _Sites({name: long[name] for name in sorted(chosen)}, topics, draw).web


class _Sites:
    def __init__(self, sites: Mapping[str, list[Package]], topics: Mapping[str, set[str]], draw: random.Random) -> None:
        self.web = ManualWeb("sites", _DIRECTORY)
        self.web.origin = "many small hosts made of"
        self._sites, self._topics, self._draw = sites, topics, draw
        self._site_of = {one.name: name for name, found in sites.items() for one in found}
        maintained: defaultdict[str, list[str]] = defaultdict(list)
        for name, found in sites.items():
            maintained[found[0].maintainer].append(name)
        names: defaultdict[str, list[str]] = defaultdict(list)
        for name in sorted(maintained):
            names[_slug(name)].append(name)
        self._people = {
            name: f"http://{slug}{n or ''}.people.example/"
            for slug, same in names.items()
            for n, name in enumerate(same)
        }
        ring = list(sites)
        draw.shuffle(ring)
        self._next = dict(zip(ring, [*ring[1:], *ring[:1]], strict=True))
        self._list_sites()
        for name, found in maintained.items():
            self._person(name, found)
        for name, found in sites.items():
            self._site(name, found)

    def _list_sites(self) -> None:
        listed = sorted(self._draw.sample(list(self._sites), int(len(self._sites) * _LISTED)))
        new = bullets(self._named(self._draw.sample(listed, min(10, len(listed)))), "New in the directory")
        people = [(url, name) for name, url in sorted(self._people.items())]
        lists = [("sites", self._named(listed)), ("people", people)]
        menu: list[tuple[str, str]] = []
        for kind, items in lists:
            for n, part in enumerate(chunks(items, _A_LIST), 1):
                menu.append(
                    (f"{_DIRECTORY}{kind}-{n}.html", f"{kind.title()}: {part[0][1][:12]} to {part[-1][1][:12]}")
                )
                self.web.pages[menu[-1][0]] = document(
                    menu[-1][1], f"<p>{link(_DIRECTORY, 'Directory')}</p>{bullets(part)}"
                )
        self.web.pages[_DIRECTORY] = document("Directory of sites", f"<h1>Directory of sites</h1>{bullets(menu)}{new}")

    def _person(self, name: str, sites: Sequence[str]) -> None:
        url = self._people[name]
        parts = chunks(sites, _A_LIST)
        pages = [url if n == 0 else f"{url}more{n}.html" for n in range(len(parts))]
        others = self._draw.sample(list(self._sites), min(3, len(self._sites)))
        for n, part in enumerate(parts):
            more = link(pages[n + 1], "more of mine") if n + 1 < len(pages) else ""
            body = f"{bullets(self._named(part), 'What I look after')}{more}{bullets(self._named(others), 'Seen elsewhere')}"
            back = f"<p>{link(_DIRECTORY, 'Listed in the directory')}</p>"
            self.web.pages[pages[n]] = document(name, f"<h1>{escape(name)}</h1>{body}{back}")

    def _site(self, name: str, found: list[Package]) -> None:
        base, main = _base(name), max(found, key=_length)
        layout, news = self._draw.choice(_LAYOUTS), self._draw.choice(_NEWS)
        parts = [one for one in sorted(found, key=lambda one: one.name) if one is not main][:_PARTS]
        pages = [(f"{base}{one.name}.html", one.name) for one in parts]
        menu = [(base, "Home"), (f"{base}about.html", "About"), *pages, (f"{base}links.html", "Links")]
        needed = dict.fromkeys(self._site_of[need] for one in found for need in one.needs if need in self._site_of)
        friends = [(_base(site), site) for site in needed if site != name]
        summary, text = main.texts["en"]
        head, _, rest = text.partition("\n\n")
        bodies = {
            base: f"<p><b>{escape(summary)}</b></p>{paragraphs(head)}<p>{escape(news.format(main.version))}</p>",
            f"{base}about.html": paragraphs(rest or text),
            **{url: paragraphs("\n\n".join(one.texts["en"])) for (url, _), one in zip(pages, parts, strict=True)},
        }
        for url, body in bodies.items():
            self.web.pages[url] = document(name, layout.format(menu=row(menu), title=escape(name), body=body))
            self.web.labels[url] = set(self._topics[name])
        ring = f"<p>{link(_base(self._next[name]), 'Next site of the ring')}</p>"
        people = row((self._people[person], person) for person in sorted({found[0].maintainer}))
        body = f"{bullets(friends, 'We stand on')}<p>Looked after by {people}</p>{ring}"
        title = escape(f"Links of {name}")
        self.web.pages[menu[-1][0]] = document(
            f"Links of {name}", layout.format(menu=row(menu), title=title, body=body)
        )

    def _named(self, names: Sequence[str]) -> list[tuple[str, str]]:
        return [(_base(name), name) for name in names]


def _base(name: str) -> str:
    return f"http://{_slug(name)}.example/"


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "nobody"


def _length(one: Package) -> int:
    return len(one.texts["en"][1])
