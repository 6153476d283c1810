"""Judges the pages of a run again after ``scrapy train TOPIC --from-run``, and corrects what is delivered."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from math import inf
from typing import TYPE_CHECKING, Any

from focused.collection.judged_rows import JudgedRows
from focused.collection.learnt_verdicts import name_of_model
from focused.collection.schema import CollectionFileError, advice
from focused.crawl.reader_and_judge import make_judge
from focused.frontier.store.schema import FrontierFileError, lock
from focused.method.topic import load_topic
from focused.method.topic.judge import RELEVANCE_THRESHOLD
from focused.retraining.applied_verdicts import apply_verdicts
from focused.retraining.judged_again import JudgingAgain, judges_words, note_what_is_learnt
from focused.retraining.versions import AFTERWARDS
from focused.utils.crawl_settings import LANGUAGES, PAGE_CLASSIFIER
from focused.utils.file_names import COLLECTION_FILE, DATABASE_FILE, FRONTIER_FILE, RUN_FILE
from focused.utils.files import read_regular
from focused.utils.output_settings import JUDGE_AGAIN_SECS
from focused.utils.places import SHIPPED_MODELS_DIR
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from scrapy.settings import BaseSettings


_OF_CRAWL = (RELEVANCE_THRESHOLD, LANGUAGES, PAGE_CLASSIFIER, JUDGE_AGAIN_SECS)
"""Settings of the crawl that say which pages are relevant."""
_MAX_RUN_BYTES = 50_000_000


def judge_run_again(
    name: str, run_dir: Path, models_dir: Path, settings: BaseSettings, verdicts: Sequence[Path] = ()
) -> str:
    """Judge the pages of a run's collection by its topic as it is now, and return a line about it; verdicts stand above it.

    The collection is left alone, and the line says why, while its crawl is under way, if it cannot be written, or if the crawl
    judged by more than words. The line is empty where there is no collection, or the crawl's settings want no judging again.
    """
    path = run_dir / COLLECTION_FILE
    settings = settings.copy()
    settings.setdict(_settings_of(run_dir), priority="cmdline")
    if not path.is_file() or not JUDGE_AGAIN_SECS.read(settings):
        return ""
    judge = make_judge(load_topic(name, models_dir), settings)
    if not judges_words(judge):
        return f"The pages of {run_dir} keep what was said of them: FOCUSED_PAGE_CLASSIFIER judges by more than words."
    try:
        if not any((run_dir / name).is_file() for name in (FRONTIER_FILE, DATABASE_FILE)):
            return _judged(run_dir, judge, verdicts)
        with lock(run_dir / FRONTIER_FILE):
            return _judged(run_dir, judge, verdicts)
    except FrontierFileError:
        return f"The pages of {run_dir} are not judged by it: that crawl is under way, and judges them itself when it ends."
    except (CollectionFileError, sqlite3.Error) as error:
        what = advice(path, error) if isinstance(error, sqlite3.Error) else error
        return f"The pages of {run_dir} are not judged by it: {what}"


def is_to_be_judged(name: str, run_dir: Path, models_dir: Path) -> bool:
    """Return whether a topic was trained from a run and has not judged its pages yet, as when the collection was in use."""
    from focused.retraining.run_labels import was_trained_from

    topic, path = load_topic(name, models_dir, SHIPPED_MODELS_DIR), run_dir / COLLECTION_FILE
    if not (path.is_file() and was_trained_from(topic, run_dir)):
        return False
    try:
        with closing(JudgedRows(path)) as rows:
            known = rows.first_judged()
    except (CollectionFileError, sqlite3.Error):
        return True
    return (known.version, known.model) != (AFTERWARDS, name_of_model(topic.model_sha256))


def _judged(run_dir: Path, judge: Any, verdicts: Sequence[Path]) -> str:
    n_more = n_less = 0
    note_what_is_learnt(run_dir, judge.topic)
    with closing(JudgedRows(run_dir / COLLECTION_FILE)) as rows:
        work = JudgingAgain(rows, judge, AFTERWARDS, inf)
        for _ in work.steps():
            pass
    for change in [*work.changes, *apply_verdicts(run_dir, *verdicts)]:
        n_more += change.is_delivered
        n_less += not change.is_delivered
    return (
        f"{quantity(work.n_judged, 'pages')} of {run_dir} judged by it: {n_more:,} more are delivered, {n_less:,} no "
        f"longer. {COLLECTION_FILE}, exports and the report know it at once."
    )


def _settings_of(run_dir: Path) -> dict[str, Any]:
    """Return those of the crawl's settings that say which pages are relevant."""
    found = json.loads(read_regular(run_dir / RUN_FILE, _MAX_RUN_BYTES)).get("settings")
    known = found if isinstance(found, dict) else {}
    return {setting.name: known[setting.name] for setting in _OF_CRAWL if setting.name in known}
