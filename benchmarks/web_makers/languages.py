"""The same packages described in several languages, a host for each: people translated the descriptions.

A page leads to its translations, to what the package needs, and to the other packages of its maintainers; lists are by
letter. A topic (the packages' tags) is the same in all languages.
"""

from __future__ import annotations

import random
from collections import defaultdict
from html import escape
from typing import TYPE_CHECKING

from manuals.web import ManualWeb

from web_makers.pages import bullets, chunks, document, link, paragraphs, row
from web_makers.tags import MEDIA, SCIENCES, Package, package, topics_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from web_makers.sources import Sources

_FRONT = "http://www.packages.example/"
_PACKAGES, _WITH_TOPIC = 800, 0.7
_A_LIST, _SHORTEST, _FEWEST = 50, 150, 3
LANGUAGES = {
    "en": ("English", "Packages", "Home", "All", "New", "Version", "Needs", "From the same people", "Looked after by"),
    "de": ("Deutsch", "Pakete", "Start", "Alle", "Neu", "Version", "Braucht", "Von denselben Leuten", "Betreut von"),
    "fr": ("Français", "Paquets", "Accueil", "Tous", "Nouveautés", "Version", "Dépend de", "Des mêmes auteurs", "Suivi par"),
    "it": ("Italiano", "Pacchetti", "Inizio", "Tutti", "Novità", "Versione", "Richiede", "Delle stesse persone", "Curato da"),
    "es": ("Español", "Paquetes", "Inicio", "Todos", "Novedades", "Versión", "Necesita", "De las mismas personas",
           "Mantenido por"),
    "pl": ("Polski", "Pakiety", "Start", "Wszystkie", "Nowe", "Wersja", "Wymaga", "Tych samych osób", "Opiekun"),
    "ru": ("Русский", "Пакеты", "Главная", "Все", "Новое", "Версия", "Требует", "От тех же людей", "Сопровождает"),  # noqa: RUF001
}  # fmt: skip
"""The words of the menus."""


def read(sources: Sources) -> list[Package]:
    """Read the packages that are described in English and at least two more of the languages."""
    sources.update(list(LANGUAGES))
    texts = {language: sources.descriptions(language) for language in LANGUAGES}
    found = []
    for part in sources.packages():
        have = {
            language: texts[language][part["Package"]] for language in LANGUAGES if part["Package"] in texts[language]
        }
        have = {language: text for language, text in have.items() if len(text[1]) >= _SHORTEST}
        if "en" in have and len(have) >= _FEWEST and "Tag" in part:
            found.append(package(part, have))
    return found


def build(packages: Sequence[Package], seed: int, n_packages: int = _PACKAGES) -> ManualWeb:
    """Make the hosts of packages that are drawn, most of them with a topic; those of `sites` have other topics."""
    draw = random.Random(f"languages {seed}")
    usable = [one for one in sorted(packages, key=lambda one: one.name) if not topics_of(one.tags, SCIENCES)]
    with_topic, without = ([one for one in usable if bool(topics_of(one.tags, MEDIA)) == has] for has in (True, False))
    n_topic = min(len(with_topic), int(n_packages * _WITH_TOPIC))
    chosen = draw.sample(with_topic, n_topic) + draw.sample(without, min(len(without), n_packages - n_topic))
    return _Languages(sorted(chosen, key=lambda one: one.name), draw).web


class _Languages:
    def __init__(self, packages: Sequence[Package], draw: random.Random) -> None:
        self.web = ManualWeb("languages", _FRONT)
        self.web.origin = "hosts in several languages made of"
        self._packages = {one.name: one for one in packages}
        self._numbers = dict(zip(self._packages, draw.sample(range(1000, 9999), len(packages)), strict=True))
        self._teams: defaultdict[str, list[str]] = defaultdict(list)
        for one in packages:
            self._teams[one.maintainer].append(one.name)
        hosts = [(_host(language), words[0]) for language, words in LANGUAGES.items()]
        self.web.pages[_FRONT] = document("Packages", f"<h1>Packages</h1>{bullets(hosts)}")
        for language in LANGUAGES:
            names = [one.name for one in packages if language in one.texts]
            new = draw.sample(names, min(8, len(names)))
            self._new = bullets(self._named(new, language), LANGUAGES[language][4])
            self._lists(names, language)
            for name in names:
                self._page(name, language)

    def _lists(self, names: Sequence[str], language: str) -> None:
        _, packages, _, everything, *_ = LANGUAGES[language]
        parts = chunks(names, _A_LIST)
        ways = [(f"{_host(language)}a/{n}", f"{part[0]} - {part[-1]}") for n, part in enumerate(parts, 1) if part]
        self._add(_host(language), packages, bullets(ways), language)
        for (url, _), part in zip(ways, parts, strict=False):
            rows = "".join(
                f"<dt>{link(self._url(name, language), name)}<dd>{escape(self._packages[name].texts[language][0])}"
                for name in part
            )
            self._add(url, everything, f"<dl>{rows}</dl><p>{row((way, str(n)) for n, (way, _) in enumerate(ways, 1))}</p>",
                      language)  # fmt: skip

    def _page(self, name: str, language: str) -> None:
        one, words = self._packages[name], LANGUAGES[language]
        summary, text = one.texts[language]
        others = row(((self._url(name, other), LANGUAGES[other][0]) for other in one.texts if other != language), " · ")
        needs = [need for need in one.needs if need in self._packages and language in self._packages[need].texts]
        team = [
            other for other in self._teams[one.maintainer] if other != name and language in self._packages[other].texts
        ]
        place = team.index(min((other for other in team if other > name), default=team[0])) if team else 0
        near = [*team[place:], *team[:place]][:4]
        body = (
            f"<p><em>{escape(summary)}</em></p>{paragraphs(text)}<p>{words[5]}: {escape(one.version)}</p>"
            f"<p>{words[8]} {escape(one.maintainer)}</p>{bullets(self._named(needs, language), words[6])}"
            f"{bullets(self._named(near, language), words[7])}<div class=languages>{others}</div>"
        )
        url = self._url(name, language)
        self._add(url, name, body, language)
        self.web.labels[url] = topics_of(one.tags, MEDIA)

    def _add(self, url: str, title: str, body: str, language: str) -> None:
        words = LANGUAGES[language]
        menu = row([(_FRONT, "packages.example"), (_host(language), words[2])])
        page = f"<div id=bar>{menu}</div><h1>{escape(title)}</h1>{body}<div id=side>{self._new}</div>"
        self.web.pages[url] = document(f"{title} - {words[1]}", page, language)

    def _url(self, name: str, language: str) -> str:
        return f"{_host(language)}p/{self._numbers[name]}"

    def _named(self, names: Sequence[str], language: str) -> list[tuple[str, str]]:
        return [(self._url(name, language), name) for name in names]


def _host(language: str) -> str:
    return f"http://{language}.packages.example/"
