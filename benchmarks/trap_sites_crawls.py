"""Crawls of the sites of ``trap_sites.py``: train, serve, crawl, and count what was fetched."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from common import say, scrapy
from provenance import digest
from site_makers.journal import Journal
from site_makers.serving import served
from site_makers.shop import Shop
from site_makers.site import Tally, tally
from site_makers.stories import Stories
from site_makers.threads import Threads
from site_makers.wiki import Wiki

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping, Sequence

    from site_makers.items import Item
    from site_makers.site import Site

SITES = {site.name: site for site in (Stories, Threads, Shop, Wiki, Journal)}
# Of a crawl that is a guest at nobody's.
SETTINGS = ("AUTOTHROTTLE_ENABLED=False", "DOWNLOAD_DELAY=0.01", "FOCUSED_CONTACT=benchmark@localhost.example")


class Crawls:
    """Crawls of made sites, each kept in a folder of its own that names the code which crawled.

    Parameters
    ----------
    items : sequence of Item
        Texts of the sites.
    options : argparse.Namespace
        The command's: ``output``, ``pages``, ``seed`` and ``settings``.
    sites : mapping of str to type of Site
        By their names.
    """

    def __init__(
        self, items: Sequence[Item], options: argparse.Namespace, sites: Mapping[str, type[Site]] = SITES
    ) -> None:
        self._items = items
        self._sites = sites
        #: Where the last crawl that was asked for is.
        self.last_folder = Path()
        self._options = options
        self._output = options.output.resolve() / f"{digest('benchmarks/site_makers')}-{options.seed}"

    def tally(self, name: str, tree: Path, strategy: str, repeat: int, *, has_traps: bool) -> Tally:
        """Return what a crawl of a site by the code of a checkout fetched; crawl if that was not done before."""
        options = self._options
        site = self._sites[name](self._items, options.seed, has_traps=has_traps)
        topic = f"{name}-{'with' if has_traps else 'without'}-traps"
        code = digest(str(tree / "focused"))
        folder = self._output / "-".join([topic, strategy, str(options.pages), code, *options.settings, str(repeat)])
        self.last_folder = folder
        if not _is_finished(folder):
            shutil.rmtree(folder, ignore_errors=True)
            with served(site) as front:
                models_dir = self._trained(site, topic, front)
                given = {"topic": topic, "strategy": strategy, "seeds": front, "web": "live", "run_dir": folder}
                given["max_pages"] = options.pages
                arguments = [part for key, value in given.items() for part in ("-a", f"{key}={value}")]
                settings = _said(SETTINGS + tuple(options.settings))
                scrapy("crawl", "focused", *arguments, *settings, models_dir=models_dir, tree=tree)
        with (folder / "fetched.csv").open(newline="", encoding="utf-8") as file:
            found = tally(site, (row["url"] for row in csv.DictReader(file)))
        say(f"{folder.name}: of traps {found.share_of_traps:.3f}, {found.n_relevant} relevant, {dict(found.kinds)}")
        return found

    def _trained(self, site: Site, topic: str, front: str) -> Path:
        """Return the models folder with the topic; this checkout trains it if it is not there."""
        models_dir: Path = self._output / f"models-{digest('focused/method')}"
        if not (models_dir / topic).is_dir():
            say(f"Training the topic {topic} ...")
            examples = self._output / f"examples-{topic}"
            shutil.rmtree(examples, ignore_errors=True)
            for folder in (examples, models_dir):
                folder.mkdir(parents=True, exist_ok=True)
            for number, page in enumerate(site.examples()):
                (examples / f"{number}.html").write_bytes(page)
            given = ("--positive", str(examples), "--seeds", front, "--quiet", *_said(SETTINGS))
            scrapy("train", topic, *given, models_dir=models_dir)
        return models_dir


def _is_finished(folder: Path) -> bool:
    file = folder / "run.json"
    return file.is_file() and json.loads(file.read_text(encoding="utf-8"))["finish_reason"] != "running"


def _said(settings: Sequence[str]) -> list[str]:
    return [part for each in settings for part in ("-s", each)]
