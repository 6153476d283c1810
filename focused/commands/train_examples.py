"""Read the example pages that the options of ``scrapy train`` name, and fetch them if necessary."""

from __future__ import annotations

import shlex
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from focused.commands.train_fetching import FetchedPages, fetch
from focused.method.text.background import Background, load_background
from focused.method.training.example_refusals import Refusals
from focused.method.training.example_selection import shuffled
from focused.method.training.example_sources import Candidate, Opening, SourceError, candidates_in
from focused.method.training.page_set import ExampleReader, PageSet, urls_of
from focused.utils.url_lists import url_lines

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import Settings

    from focused.commands.progress import Progress


def read_examples(
    opts: argparse.Namespace,
    reader: ExampleReader,
    settings: Settings,
    progress: Progress,
    *,
    n_sample: int | None,
    random_state: int,
) -> tuple[PageSet, PageSet | Background]:
    """Read the examples that the options name.

    Parameters
    ----------
    opts : argparse.Namespace
    reader : ExampleReader
    settings : Settings
    progress : Progress
    n_sample : int or None
        Size of the random sample of unlabelled pages; None: all.
    random_state : int
        Seed of the draw.

    Returns
    -------
    PageSet
        The positives; empty if the topic is made from words.
    PageSet or Background
        Unlabelled pages, or the general background if none are named.

    Raises
    ------
    SourceError, WebError
        If a PATH cannot be read, or no page is left.
    FetchError
        If nothing can be fetched.
    """
    refused = Refusals(), Refusals()
    cache_dir = settings.get("FOCUSED_CACHE_DIR")
    with ExitStack() as stack:
        fetched = stack.enter_context(FetchedPages())

        def candidates(paths: list[str], refusals: Refusals, urls: str | None) -> list[Candidate]:
            opening = Opening(
                *(refusals, fetched, stack, reader.limits.max_bytes, Path(cache_dir) if cache_dir else None)
            )
            return candidates_in([Path(path) for path in paths], opening, _urls_in(urls) if urls else None)

        positive = candidates(opts.positive or [], refused[0], opts.positive_urls)
        unlabeled_candidates = candidates(opts.unlabeled or [], refused[1], opts.unlabeled_urls)
        if n_sample is not None:
            unlabeled_candidates = shuffled(unlabeled_candidates, random_state)
            # All URLs are fetched first; refusals are only known afterwards.
            unlabeled_candidates = [
                page for n, page in enumerate(unlabeled_candidates) if n < n_sample or not page.is_remote
            ]
        remote = list(dict.fromkeys(page.url for page in (*positive, *unlabeled_candidates) if page.is_remote))
        if remote:
            progress.say(f"Fetching {len(remote)} pages")
            counter = progress.counter(len(remote), "Fetching pages")
            fetch(remote, fetched, settings, opts.web, counter)
        wanted = urls_of([*positive, *unlabeled_candidates])
        positives = PageSet() if opts.keywords else reader.positives(positive, refused[0], wanted)
        if not positives and not opts.keywords:
            raise SourceError(_none_left("--positive", opts.positive, refused[0]))
        if not opts.unlabeled:
            return positives, load_background()
        unlabeled = reader.unlabeled(unlabeled_candidates, refused[1], wanted, positives, limit=n_sample)
        if not unlabeled:
            raise SourceError(_none_left("--unlabeled", opts.unlabeled, refused[1]))
        return positives, unlabeled


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
