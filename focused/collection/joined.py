"""The pages of one or several runs of a topic, each page once."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from focused.collection.view import CollectionView, PageFilter, headings_of

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from typing_extensions import Self

RECORD_FIELDS = (
    *("url", "title", "text", "author", "date", "site_name", "description", "license", "language", "canonical_url"),
    *("headings", "relevance", "relevant", "verdict", "delivered", "model_version", "noindex", "duplicate_of"),
    *("content_type", "depth", "referrer", "link_score", "link_reason", "fetched_at", "sha256", "run"),
)
"""The fields of an exported page, in order."""
FLAGS = ("relevant", "verdict", "delivered", "noindex")
"""Those that are yes or no, or not known."""
# What people say counts more than what came later; of two runs with the same word the later one's page is taken.
_RANK = "SELECT url, verdict IS NOT NULL, fetched_at FROM pages"


class _Rank(NamedTuple):
    is_judged: bool
    fetched_at: str
    run: int


class JoinedRuns:
    """The pages of runs that were chosen by a filter. A page that several runs hold is there once.

    Of several the one that a person has judged is taken, else the one fetched last; of what the others say nothing is joined.

    Raises
    ------
    CollectionFileError
        If a run has no collection, or it cannot be read.
    ValueError
        If the runs are of several topics.
    """

    def __init__(self, run_dirs: Sequence[Path], wanted: PageFilter) -> None:
        self.run_dirs = list(run_dirs)
        self.wanted = wanted
        #: Pages that `rows` has yielded.
        self.n_written = 0
        self._open = ExitStack()
        try:
            self._views = [self._open.enter_context(CollectionView(each)) for each in run_dirs]
            topics = [view.about().get("topic", "") for view in self._views]
            for path, topic in zip(run_dirs, topics, strict=True):
                if topic != topics[0]:
                    raise ValueError(
                        f"{path} is a run of topic {topic!r}, {run_dirs[0]} one of {topics[0]!r}. Name runs of one topic."
                    )
        except BaseException:
            self._open.close()
            raise
        self.topic = topics[0]
        self._taken = self._ranks() if len(self._views) > 1 else None

    def __enter__(self) -> Self:
        """Nothing to do: all are open."""
        return self

    def __exit__(self, *error: object) -> None:
        """Close the collections."""
        self._open.close()

    def _ranks(self) -> dict[str, _Rank]:
        best: dict[str, _Rank] = {}
        for number, view in enumerate(self._views):
            for url, is_judged, fetched_at in view.rows(_RANK):
                rank = _Rank(bool(is_judged), fetched_at, number)
                if url not in best or rank > best[url]:
                    best[url] = rank
        return best

    def rows(self) -> Iterator[tuple[Path, sqlite3.Row]]:
        """Yield the run and the row of each page that is wanted: run by run, in the order in which they were judged."""
        for number, (path, view) in enumerate(zip(self.run_dirs, self._views, strict=True)):
            for row in view.pages(self.wanted):
                if self._taken is None or self._taken[row["url"]].run == number:
                    self.n_written += 1
                    yield path, row

    def words_as_they_stand(self) -> str:
        """Return the query that was made of the words that are asked for; empty if they are one, or there are none."""
        words = self.wanted.words
        understood = self._views[0].understood(words) if words else words
        return "" if understood == words else understood

    def n_undated(self) -> int:
        """Return how many pages were left out because they do not say when they were published; each run's are counted."""
        if self.wanted.since is None and self.wanted.before is None:
            return 0
        others = replace(self.wanted, since=None, before=None, undated=True)
        return sum(view.count(others) for view in self._views)

    def records(self) -> Iterator[dict[str, Any]]:
        """Yield each page that is wanted as values of `RECORD_FIELDS`."""
        for path, row in self.rows():
            yield record_of(row, path.name)


def record_of(row: sqlite3.Row, run: str) -> dict[str, Any]:
    """Return a page as its export has it: values of `RECORD_FIELDS`; flags are true, false or (a verdict) null."""
    values = {name: row[name] for name in RECORD_FIELDS if name != "run"} | {"run": run}
    values["headings"] = [{"level": level, "text": text} for level, text in headings_of(row)]
    for name in FLAGS:
        values[name] = None if values[name] is None else bool(values[name])
    return values
