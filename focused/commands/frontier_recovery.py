"""`scrapy frontier --recover`: saves what can be read of a damaged frontier and collection, and says what was lost."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

from focused.collection.recovery import recover_collection
from focused.frontier.store.recovery import recover
from focused.frontier.store.schema import lock
from focused.utils.file_names import COLLECTION_FILE
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def recovered_frontier(path: Path) -> Iterator[str]:
    """Save what can be read of a damaged frontier; yield lines that say what was saved and lost."""
    try:
        found = recover(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be recovered: {error}. Nothing was changed.") from None
    if found is None:
        yield f"{path} is not damaged; nothing was changed."
        return
    n_links = sum(found.counts.values())
    states = ", ".join(f"{count:,} {state}" for state, count in found.counts.items())
    yield f"{quantity(n_links, 'links')} saved, {_lost(found.n_before, n_links)}: {states}"
    if found.n_unsound:
        yield f"{quantity(found.n_unsound, 'links')} dropped for values that no link has"
    yield f"{quantity(found.n_records, 'pages')} saved that a strategy with a memory learns from"
    if found.lost:
        yield f"Lost of what the crawl remembered: {', '.join(found.lost)}"
    yield f"{path} is the new frontier, {found.kept} the damaged one. The crawl's command goes on with what was saved."


def recovered_collection(frontier: Path) -> Iterator[str]:
    """Save what can be read of the damaged collection beside a frontier; yield lines that say what was saved and lost."""
    path = frontier.with_name(COLLECTION_FILE)
    if not path.is_file():
        return
    try:
        with closing(lock(frontier)):
            found = recover_collection(path)
    except OSError as error:
        raise ValueError(f"{path} cannot be recovered: {error}. Nothing of it was changed.") from None
    if found is None:
        yield f"{path} is not damaged; nothing was changed."
        return
    lost = _lost(found.n_before, found.n_pages)
    yield f"{quantity(found.n_pages, 'pages')} saved, {lost}; {found.n_without_text:,} without their text"
    yield f"{path} is the new collection, {found.kept} the damaged one."


def _lost(n_before: int | None, n_saved: int) -> str:
    return "how many there were cannot be read" if n_before is None else f"{max(0, n_before - n_saved):,} lost"
