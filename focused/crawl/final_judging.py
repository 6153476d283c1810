"""Judges the collection again by the last model when a crawl ends, and counts and logs what changes."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING, Any

from focused.collection.judged_rows import JudgedRows
from focused.retraining.judged_again import JudgingAgain, judges_words, note_what_is_learnt
from focused.utils.file_names import COLLECTION_FILE
from focused.utils.output_settings import JUDGE_AGAIN_SECS
from focused.utils.reactor import in_turns
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.statscollectors import StatsCollector

    from focused.collection.verdict_rows import DeliveryChange
    from focused.crawl.crawl import Crawl

logger = logging.getLogger(__name__)

JUDGED, _FORMER, MORE, LESS = (
    f"focused/collection/{name}_count" for name in ("judged_again", "former_model", "added", "withdrawn")
)


async def judge_again(crawl: Crawl, settings: Any, stats: StatsCollector) -> list[DeliveryChange]:
    """Judge the pages of a crawl's collection by the model in use, in slices; return those whose delivery changes.

    An error of the file is logged, and what was written until then stands.
    """
    if not (n_seconds := JUDGE_AGAIN_SECS.read(settings)):
        return []
    judge, version = crawl.judging.judge, crawl.judging.version
    rows = JudgedRows(crawl.plan.run_dir / COLLECTION_FILE)
    work = JudgingAgain(rows, judge, version, n_seconds)
    try:
        if not work.is_due:
            return []
        if judges_words(judge):
            note_what_is_learnt(crawl.plan.run_dir, judge.topic)
            await in_turns(work.steps())
        else:
            logger.info(
                "Pages are not judged again: FOCUSED_PAGE_CLASSIFIER judges pages, and only their words are kept"
            )
    except sqlite3.Error as error:
        logger.error("The pages of %s could not be judged again: %s", COLLECTION_FILE, error)
    finally:
        for name, n in counts_of(work).items():
            stats.set_value(name, n)
        stats.set_value(_FORMER, _n_former(rows, version))
        rows.close()
    return work.changes


def counts_of(work: JudgingAgain) -> dict[str, int]:
    """Return the stats of what was done: pages judged again, those that are delivered since, those that are no longer."""
    n_more = sum(change.is_delivered for change in work.changes)
    return {JUDGED: work.n_judged, MORE: n_more, LESS: len(work.changes) - n_more}


def _n_former(rows: JudgedRows, version: int) -> int:
    try:
        return rows.n_former(version)
    except sqlite3.Error:
        return 0


def words_of_judging_again(stats: Mapping[str, Any]) -> str:
    """Return a line for the summary of a crawl; empty if its pages were not judged again.

    >>> words_of_judging_again({"focused/collection/judged_again_count": 1})
    '1 page judged again by the last model: 0 more are delivered, 0 no longer'
    """
    n, n_former = (stats.get(name, 0) for name in (JUDGED, _FORMER))
    if not n and not n_former:
        return ""
    line = f"{quantity(n, 'pages')} judged again by the last model: {stats.get(MORE, 0):,} more are delivered, "
    line += f"{stats.get(LESS, 0):,} no longer"
    return line + (f"; of {quantity(n_former, 'pages')} stands what an earlier model said" if n_former else "")
