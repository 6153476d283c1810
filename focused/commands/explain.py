"""``scrapy explain``: why one page is relevant or not, and how its links are scored."""

from __future__ import annotations

import shlex
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from focused.commands.train_fetching import FetchedPages, FetchError, fetch
from focused.crawl.declared_settings import check_settings
from focused.crawl.reader_and_judge import make_judge, make_reader
from focused.crawl.settings_layers import contact_settings, with_topic
from focused.method.explanation.explain import FOLLOWS_ALL, OBEYS_LINKS, OBEYS_PAGES, explain
from focused.method.explanation.rendering import to_json, to_text
from focused.method.strategies import CHOICES, PLUG_IN, make_strategy
from focused.method.topic import load_topic
from focused.method.topic.presets import PRESETS, check_preset
from focused.method.training.example_content import PageContent, RefusedError, checked
from focused.method.training.example_sources import FILES_ORIGIN
from focused.retraining.first_threshold import first_threshold
from focused.retraining.options import read_options
from focused.utils.crawl_settings import BELOW_THRESHOLD, NOFOLLOW_ENABLED, OBEY_NOINDEX, STRATEGY, WEB
from focused.utils.places import models_dirs
from focused.utils.project_command import ProjectCommand, whole_number
from focused.utils.url_lists import http_url
from focused.webs import open_web

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

_TEXT_SUFFIXES = (".txt", ".text", ".md", ".rst")

EXAMPLES = """\
The score of a link is the score in a crawl; "by" names its evidence. Terms are stems.

Examples:
  scrapy explain astrophysics http://hyperphysics.phy-astr.gsu.edu/hbase/astro/andromeda.html
      a page of the live web; robots.txt is obeyed
  scrapy explain astrophysics http://hyperphysics.phy-astr.gsu.edu/hbase/astro/andromeda.html --web hyperphysics.warc.gz
      the same from a recorded web
  scrapy explain demo saved.html --strategy lpe --top 0 -s FOCUSED_SIMILARITY=cosine
      a file, all rows, with another strategy and another measure
  scrapy explain ordered saved.html --preset p13
      the links as crawls with -a preset=p13 score them
  scrapy explain demo saved.html --url http://stars.example/a/b.html --json
      the base URL of its relative links; output for a program
"""


class Command(ProjectCommand):
    """Explain one page; an error is one line on stderr and exit code 1."""

    usage = "TOPIC URL|FILE [options]"
    summary = "Explain why a page is relevant or not, and how its links are scored"
    examples = EXAMPLES
    errors = (ValueError, FetchError)

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        """Add the options of this command."""
        super().add_options(parser)
        add = parser.add_argument_group("explaining").add_argument
        add("--web", metavar="WEB", help="where a URL is fetched: live, demo, or a WARC (default: the topic's)")
        strategies = f"{', '.join(PLUG_IN.names(CHOICES))}, or the path of a class"
        add("--strategy", metavar="NAME", help=f"{strategies} (default: the topic's)")
        add("--preset", metavar="NAME", help=f"as crawls of it score: {', '.join(PRESETS)} (default: the topic's)")
        add("--top", default="20", metavar="N", help="rows of each table; 0: all (default: 20)")
        add("--url", metavar="URL", help="the URL of FILE, the base of its relative links")
        add("--json", action="store_true", help="print everything as one JSON object")

    def work(self, args: list[str], opts: argparse.Namespace) -> None:
        """Explain."""
        self.refuse_options(args)
        if len(args) != 2:
            got = shlex.join(args) or "none"
            raise ValueError(f"Name a topic and a page: scrapy explain TOPIC URL|FILE. Got {got}.")
        top = whole_number("--top", opts.top, meaning="0: all")
        topic = load_topic(args[0], *models_dirs(self.settings))
        settings = with_topic(topic, self.settings, check_preset(opts.preset) if opts.preset is not None else "")
        check_settings(settings)
        strategy = make_strategy(opts.strategy or str(STRATEGY.read(settings)), settings).prepare(topic)
        reader, judge = make_reader(topic.analyzer, settings), make_judge(topic, settings)
        web = opts.web or WEB.read(settings) or topic.web
        content = _content(args[1], opts, web, settings)
        page = reader.read(content.body, content.url, content.content_type)
        nofollow = OBEYS_PAGES if web == "live" and OBEY_NOINDEX.read(settings) else FOLLOWS_ALL
        if NOFOLLOW_ENABLED.read(settings):
            nofollow = OBEYS_LINKS
        drops = BELOW_THRESHOLD.read(settings) == "drop"
        at_first = first_threshold(topic, read_options(settings, topic))
        explanation = explain(page, judge, strategy, drops=drops, nofollow=nofollow, first_threshold=at_first)
        if opts.json:
            print(to_json(explanation))
        else:
            print(to_text(explanation, top), end=f"\n{strategy.remark}\n" if strategy.remark else "")


def _content(page: str, opts: argparse.Namespace, web: str, settings: Settings) -> PageContent:
    """Return the page at a URL or in a file."""
    url = http_url(page)
    if url is None:
        return _read(page, opts.url)
    if opts.url:
        raise ValueError(f"--url goes with a file. Got it with {page}.")
    if web != "live":
        open_web(web, settings).close()
    settings.setdict(contact_settings(settings), priority="cmdline")
    with closing(FetchedPages()) as fetched:
        fetch([url], fetched, settings, web, lambda: None, named=[url])
        try:
            return fetched.content(url)
        except RefusedError as refused:
            raise _nothing_there(f"under {url}", refused) from None


def _read(name: str, origin: str | None) -> PageContent:
    """Return a file as a page."""
    path = Path(name)
    url = http_url(origin) if origin else f"{FILES_ORIGIN}/{quote(path.name)}"
    if url is None:
        raise ValueError(f"--url must be a URL such as http://a.example/b.html. Got {origin!r}.")
    if not path.is_file():
        raise ValueError(f"The page must be a URL such as http://a.example/ or a file. Got {name!r}, which is neither.")
    try:
        return checked(url, path.read_bytes(), "text/plain" if path.suffix.lower() in _TEXT_SUFFIXES else None)
    except RefusedError as refused:
        raise _nothing_there(f"in {path}", refused) from None


def _nothing_there(where: str, refused: RefusedError) -> ValueError:
    detail = f" ({refused.detail})" if refused.detail else ""
    return ValueError(f"There is no page to explain {where}: {refused}{detail}.")
