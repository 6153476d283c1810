"""What people's verdicts say of a crawl's collection, in its report: the only figures there that are evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.figure_words import figure_lines
from focused.collection.judged_figures import judged_figures
from focused.evaluation.report.markup import Markup, element

if TYPE_CHECKING:
    from collections.abc import Iterator

    from focused.evaluation.report.run import Run


def by_verdicts(run: Run) -> Iterator[Markup]:
    """Show precision and recall as they are now, if people have judged pages at random."""
    found = judged_figures(run.directory)
    if found is not None:
        yield element("h3", "By people's verdicts")
        items = [element("li", line) for line in figure_lines(found.figures, found.believed)]
        yield element("ul", *items, class_="plain")
