"""Read the example pages that the options of ``scrapy train`` name, and fetch them if necessary."""

from __future__ import annotations

import shlex
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.commands.train_fetching import FetchedPages, fetch
from focused.commands.train_looking_around import LookAroundSpider
from focused.method.text.background import Background, load_background
from focused.method.training.example_content import Refusals
from focused.method.training.example_selection import shuffled
from focused.method.training.example_sources import Candidate, OpenSources, SourceError, candidates_in
from focused.method.training.page_set import DEFAULT_LANGUAGE, ExampleReader, PageSet, language_of_most, urls_of
from focused.utils.folder_settings import CACHE_DIR
from focused.utils.url_lists import url_lines

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from focused.commands.progress import Progress
    from focused.crawl.page_reading import PageReading
    from focused.retraining.around_seeds import PagesAroundSeeds


@dataclass
class Examples:
    """What a topic is trained from."""

    #: Empty for a topic made from words.
    positive: PageSet
    unlabeled: PageSet | Background
    #: Pages of the topic's web that were looked at, without those among the positives.
    looked_at: PageSet = field(default_factory=PageSet)
    #: For each of these pages: whether its link was drawn.
    is_drawn: list[bool] = field(default_factory=list)
    #: A sentence about the language, if these pages told it; empty if it was known, or if they do not tell.
    language_of_most: str = ""


def read_examples(
    opts: argparse.Namespace,
    reader: ExampleReader,
    settings: Settings,
    progress: Progress,
    *,
    n_sample: int | None,
    random_state: int,
    around: PagesAroundSeeds | None = None,
    links: PageReading | None = None,
) -> Examples:
    """Read the examples that the options name: positives (none for a topic made from words) and unlabelled pages.

    ``n_sample`` unlabelled pages are drawn at random; None: all are read. If none are named, the general background
    takes their place. ``around``: chooses pages of the topic's web to look at; ``links`` finds the links on them. If the
    language is not known, it is that of most pages, else English.

    A SourceError or WebError says that a PATH cannot be read, or that no page is left; a FetchError that nothing can be
    fetched.
    """
    refused = Refusals(), Refusals()
    cache_dir = CACHE_DIR.read(settings)
    with ExitStack() as stack:
        fetched = stack.enter_context(closing(FetchedPages()))

        def candidates(paths: list[str], refusals: Refusals, urls: str | None) -> list[Candidate]:
            cache = Path(cache_dir) if cache_dir else None
            opening = OpenSources(refusals, fetched, stack, reader.limits.max_bytes, cache)
            return candidates_in([Path(path) for path in paths], opening, _urls_in(urls) if urls else None)

        positive = candidates(opts.positive or [], refused[0], opts.positive_urls)
        others = candidates(opts.unlabeled or [], refused[1], opts.unlabeled_urls)
        if n_sample is not None:
            # All URLs are fetched first; refusals are only known afterwards.
            drawn = enumerate(shuffled(others, random_state))
            others = [page for n, page in drawn if n < n_sample or not page.is_remote]
        remote = list(dict.fromkeys(page.url for page in (*positive, *others) if page.is_remote))
        if remote:
            progress.say(f"Fetching {len(remote)} pages")
        if remote or around is not None:
            arguments: dict[str, Any] = {}
            if around is not None:
                progress.say(f"Looking around from the seeds: up to {around.budget} pages (--look-around N; 0: none)")
                arguments = {"spider": LookAroundSpider, "named": around.seeds, "around": around, "reading": links}
            count = progress.counter(len(remote) + (0 if around is None else around.budget), "Fetching pages")
            web = opts.web if remote or around is None else around.web
            fetch(remote, fetched, settings, web, count, **arguments)
        wanted = urls_of([*positive, *others])
        positives = reader.positives(positive, refused[0], wanted) if opts.positive else PageSet()
        if not positives and opts.positive:
            raise SourceError(_none_left("--positive", opts.positive, refused[0]))
        if not opts.unlabeled:
            found = Examples(positives, load_background())
            if around is not None:
                _add_pages_around(found, reader, fetched, around)
            reader.language = reader.language or DEFAULT_LANGUAGE
            return found
        reader.language = reader.language or DEFAULT_LANGUAGE
        unlabeled = reader.unlabeled(others, refused[1], wanted, positives, limit=n_sample)
        if not unlabeled:
            raise SourceError(_none_left("--unlabeled", opts.unlabeled, refused[1]))
        return Examples(positives, unlabeled)


def _add_pages_around(found: Examples, reader: ExampleReader, fetched: FetchedPages, around: PagesAroundSeeds) -> None:
    """Add the pages around the seeds to the examples; if the reader has no language, set it to that of most pages."""
    asked = [Candidate(url, url, partial(fetched.content, url), is_remote=True) for url in around.asked]
    found.looked_at = reader.unlabeled(asked, Refusals(), set(), found.positive)
    if reader.language is None and (code := language_of_most(found.looked_at)):
        n_pages = found.looked_at.languages[code]
        found.language_of_most = f"that of {n_pages} of {len(found.looked_at)} pages around the seeds"
        reader.language = code
        if code != DEFAULT_LANGUAGE:  # the pages were read as if they had the default language
            found.looked_at = reader.unlabeled(asked, Refusals(), set(), found.positive)
    found.is_drawn = [around.asked[url] for url in found.looked_at.names]


def _urls_in(name: str) -> list[str]:
    try:
        lines = url_lines(Path(name))
    except (OSError, ValueError) as error:
        raise SourceError(f"{name} cannot be read as a list of URLs: {error}. Write one URL a line.") from None
    urls = list(dict.fromkeys(url for _, _, url in lines if url))
    if not urls:
        raise SourceError(f"{name} holds no http or https URL. Write one URL a line.")
    return urls


def _none_left(option: str, paths: list[str], refusals: Refusals) -> str:
    where = shlex.join(paths)
    if refusals.total:
        return f"No page is left of {option} {where}: {refusals.summary()}."
    return f"There is no page in {option} {where}. Name a folder of HTML or text files, a WARC or a JSON Lines file."
