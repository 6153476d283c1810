"""The webs, their packages, and how they are crawled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from manuals.portal import docs
from manuals.single import cpp, gimp, grass, linux, office
from manuals.web import NO_TOPIC

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from manuals.packages import Packages
    from manuals.web import ManualWeb

STRATEGIES = ("adaptive", "patel_schmidt", "best_first", "lpe", "cbp_slc", "oracle")
PAGES = 300
LARGEST = 6
"""Topics of the webs whose topics were not chosen by hand: the labels with most pages."""


@dataclass(frozen=True)
class Source:
    """A web that can be made."""

    build: Callable[[Packages], ManualWeb]
    packages: Sequence[str]


WEBS = {
    "grass": Source(grass, ["grass-doc"]),
    "gimp": Source(gimp, ["gimp-help-de", "gimp-help-en"]),
    "docs": Source(
        docs,
        [
            *("anarchism", "apache2-doc", "debian-handbook", "debian-policy", "developers-reference", "gimp-help-de"),
            *("gimp-help-en", "git-doc", "grass-doc", "harden-doc", "maxima-doc", "nodejs-doc", "octave-doc"),
            *("postgresql-doc-15", "python3.11-doc", "sqlite3-doc", "swi-prolog-doc"),
        ],
    ),
    "linux": Source(linux, ["linux-doc-6.1"]),
    "office": Source(office, ["libreoffice-help-de"]),
    "cpp": Source(cpp, ["cppreference-doc-en-html"]),
}


@dataclass(frozen=True)
class Evaluation:
    """Crawls of one web."""

    name: str
    web: str
    #: Its name in the table.
    title: str
    #: Comma-separated; None for the labels with most pages.
    topics: str | None = None
    #: Whether all crawls start at the web's front page; else they start at five of the positives.
    from_front: bool = False

    def arguments(self, webs: Path) -> list[str]:
        """Return the options of ``scrapy evaluate`` that name the web, its topics and its seeds."""
        file = webs / self.web
        found = ["--web", f"{file}.warc.gz", "--labels", f"{file}.labels.tsv"]
        if self.topics is None:
            found += ["--largest", str(LARGEST), "--exclude", NO_TOPIC]
        else:
            found += ["--topics", self.topics]
        return [*found, "--seeds", f"{file}.seeds.txt"] if self.from_front else found


_SUBJECTS = "plotting,server administration,sql,network programming,security"
EVALUATIONS = [
    Evaluation("grass", "grass", "grass", "data exchange,imagery,statistics,terrain and water"),
    Evaluation("gimp", "gimp", "gimp", "de filters,de menus,de colours"),
    Evaluation("docs", "docs", "docs, five seeds", _SUBJECTS),
    Evaluation("portal", "docs", "docs, from the portal", _SUBJECTS, from_front=True),
    Evaluation("linux", "linux", "linux"),
    Evaluation("office", "office", "office"),
    Evaluation("cpp", "cpp", "cpp"),
]
