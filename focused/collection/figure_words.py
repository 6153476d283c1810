"""Writes the figures of a collection in words, and marks those that rest on the model alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.figures import LEAST_OF_GROUP, LEAST_VERDICTS
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.collection.figures import Figures
    from focused.collection.sample import Share


NONE_YET = (
    f"Precision and recall of the collection: not known yet; {LEAST_VERDICTS} verdicts on random pages will say (scrapy judge "
    "asks about some; --order random about no others)"
)
"""What is to be said where `figure_lines` says nothing, to somebody who judges."""


def figure_lines(found: Figures, believed: float | None) -> Iterator[str]:
    """Yield what people's verdicts say of precision and recall, and what the model believes (None: nothing).

    Without a single verdict on a random page, now or before the model learnt from it, nothing is said at all.
    """
    former = [
        f"{name} {_share(share)}"
        for name, share in (("precision", found.former_precision), ("recall", found.former_recall))
        if share is not None
    ]
    if not (found.n_accepted + found.n_refused or former or found.n_learnt):
        return
    belief = "" if believed is None else f"; the model believes {believed:.2f}"
    if found.precision is not None:
        yield f"Precision of the collection: {_share(found.precision)}{belief}"
    else:
        missing = _missing(found, found.n_accepted, "that the model calls relevant")
        yield f"Precision of the collection: not known yet; {missing} will say{belief}"
    if found.recall is not None:
        yield f"Recall among the pages fetched: {_share(found.recall)}"
    else:
        missing = _missing(found, found.n_refused, "that it calls irrelevant")
        yield f"Recall among the pages fetched: not known yet; {missing} will say"
    if former:
        yield f"Before the model learnt from these verdicts: {'; '.join(former)}. The same verdicts say nothing of it since"
    elif found.n_learnt:
        learnt = quantity(found.n_learnt, "verdicts")
        yield f"The model has learnt from {learnt} on random pages: these say nothing of it since"
    if found.n_skipped:
        skipped = quantity(found.n_skipped, "random pages")
        yield f"Left out of these figures: {skipped} without a verdict (skipped, or taken back)"


def _share(share: Share) -> str:
    by = f"by {share.n} verdicts on random pages"
    return (
        f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f}, 95 % interval) {by} of the first {share.of_pages:,}"
    )


def _missing(found: Figures, n_of_group: int, group: str) -> str:
    """Say which verdicts are missing: any on random pages, or, where there are enough of these, some of one group."""
    n = LEAST_VERDICTS - found.n_accepted - found.n_refused
    which = "" if n > 0 else f" {group}"
    n = n if n > 0 else max(LEAST_OF_GROUP - n_of_group, 1)
    return f"{n} more {'verdict' if n == 1 else 'verdicts'} on random pages{which}"
