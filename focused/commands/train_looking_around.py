"""Look around on the web that a topic is for: ``scrapy train --seeds`` fetches some pages (docs/method/, D74)."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import scrapy

from focused.commands.train_fetching import FetchSpider
from focused.commands.train_options import N_LOOKED_AT
from focused.crawl.declared_settings import DECLARED
from focused.crawl.page_reading import PageReading
from focused.crawl.reader_and_judge import make_reader
from focused.crawl.topic_politeness import check_politeness
from focused.method.learning.learners import may_lack_negatives
from focused.method.text.analyzer import Analyzer
from focused.method.topic import is_topic_setting
from focused.method.topic.settings import SCOPE_SETTINGS
from focused.retraining.around_seeds import PagesAroundSeeds
from focused.retraining.options import OF_TOPIC, RetrainingOptions
from focused.utils.parameters import parameters_of
from focused.utils.scope import Scope
from focused.utils.url_rules import entries_of
from focused.utils.words import quantity

if TYPE_CHECKING:
    import argparse
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from scrapy.http import Response
    from scrapy.settings import Settings
    from twisted.python.failure import Failure

    from focused.method.topic import Topic
    from focused.method.training.page_set import PageSet

_MOST_SECS = 300.0
"""No page is asked for later: a host may ask for long delays."""
_OF_REQUESTS = ("AUTOTHROTTLE_", "CONCURRENT_", "DNS_", "DOWNLOAD_", "REDIRECT_", "RETRY_")
_MOST_AT_ONCE = 4
"""Pages that are asked for at a time. More would be chosen before anything is known of the first ones' places."""


class LookAroundSpider(FetchSpider):
    """Fetches URLs, then pages of a web as `PagesAroundSeeds` choose them.

    Links are followed as in a crawl: none that is nofollow, none out of scope.
    """

    def __init__(self, *, around: PagesAroundSeeds, reading: PageReading, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._around = around
        self._reading = reading
        self._n_on_the_way = 0
        self._until = 0.0

    async def start(self) -> AsyncIterator[scrapy.Request]:
        """Ask for the URLs, then for the seeds."""
        async for request in super().start():
            yield request
        for url in self._around.first():
            yield self._request(url)

    def page_fetched(self, response: Response) -> Iterator[scrapy.Request]:
        """Keep a page, and ask for the next ones."""
        self.parse(response)
        asked, reading = response.meta["asked"], self._reading
        page = reading.read(response, (response.headers.get("Content-Type") or b"").decode("latin-1"))
        if page is None:
            self._around.note_no_page(asked)
        else:
            self._around.add(
                asked, reading.links_to_follow(page, self._around.depth(asked), reading.directives(response, page))[0]
            )
        yield from self._more()

    def page_failed(self, failure: Failure) -> Iterator[scrapy.Request]:
        """Note why there is no page, and ask for the next ones."""
        self.failed(failure)
        self._around.note_no_page(failure.request.meta["asked"])  # type: ignore[attr-defined]
        yield from self._more()

    def _more(self) -> Iterator[scrapy.Request]:
        self._n_on_the_way -= 1
        self._until = self._until or time.monotonic() + _MOST_SECS
        while self._n_on_the_way < _MOST_AT_ONCE and time.monotonic() < self._until:
            url = self._around.next()
            if url is None:
                return
            yield self._request(url)

    def _request(self, url: str) -> scrapy.Request:
        self._n_on_the_way += 1
        meta = {"asked": url, "focused_pdf": True}
        return scrapy.Request(url, self.page_fetched, errback=self.page_failed, meta=meta, dont_filter=True)


def pages_around_seeds(
    opts: argparse.Namespace, topic: Topic, settings: Settings, random_state: int
) -> PagesAroundSeeds | None:
    """Return the pages to look at before a topic is trained; None where its crawls do not look around either.

    That is so with unlabelled pages of the user's own, in a preset of a paper, with FOCUSED_UNLABELED=topic, and with learners
    that the pages of a crawl are too few for.
    """
    own_pages = opts.unlabeled or opts.preset or may_lack_negatives(opts.learner)
    n_pages = N_LOOKED_AT if opts.look_around is None else opts.look_around
    if own_pages or not topic.seeds or not opts.seeds or not n_pages:
        return None
    if parameters_of(RetrainingOptions)["unlabeled"].read(settings) == OF_TOPIC:
        return None
    web = opts.web if opts.web != "live" else topic.web or opts.web
    return PagesAroundSeeds(topic.seeds, n_pages, random_state, web)


def with_own_settings(topic: Topic, settings: Settings) -> Settings:
    """Return settings with those of a topic's file that say how hosts are asked: its crawls' delays are kept here, too."""
    if (topic.web or "live") == "live":
        check_politeness(topic, settings)
    found = settings.copy()
    for name, value in topic.settings.items():
        if is_topic_setting(name) and name.startswith(_OF_REQUESTS):
            found.set(name, value, priority="spider")  # below -s
    return found


def with_looked_at(
    topic: Topic, pages: PageSet, is_drawn: Sequence[bool], random_state: int, say: Callable[[str], None]
) -> Topic:
    """Return a topic trained with the pages that were looked at; as it is, with a warning, where they teach nothing."""
    # Imported here: scikit-learn would double the time that every scrapy command takes to start.
    from focused.method.training.example_warnings import few_looked_at, warnings_looked_at
    from focused.retraining.first_training import train_on_pages_looked_at
    from focused.retraining.words_met import NoWordMetError

    warnings = topic.manifest["warnings"]
    if len(pages):
        say(f"Learning from {quantity(len(pages), 'pages')} around the seeds")
    try:
        made = train_on_pages_looked_at(topic, pages, is_drawn, random_state=random_state)
    except ValueError as error:
        is_known = isinstance(error, NoWordMetError) or not pages.refusals.total
        why = str(error).rstrip(".") if is_known else pages.refusals.summary()
        topic.manifest["warnings"] = [few_looked_at(len(pages), why), *warnings]
        return topic
    if not topic.keyword_terms:
        made.manifest["warnings"] = warnings_looked_at(topic.language, warnings, pages)
    return made


def link_reading(topic: Topic, settings: Settings) -> PageReading:
    """Return what reads links that may be followed; the scope is that of the topic's file, else that of the settings."""
    allow, deny = (
        entries_of(str(topic.scope.get(name) or DECLARED[SCOPE_SETTINGS[name]].read(settings)), name)
        for name in ("allow", "deny")
    )
    scope = Scope(allow, deny, max_depth=int(topic.scope.get("max_depth") or settings.getint("DEPTH_LIMIT")))
    return PageReading(make_reader(Analyzer(topic.language), settings), scope, settings)
