"""Takes a verdict on a page that a person chose to look at, beside those on pages that `JudgingSession` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.collection.judging_session import TAKEN_BACK
from focused.collection.learnt_verdicts import LearntVerdicts
from focused.collection.verdict_folder import Opinion, VerdictLog
from focused.collection.view import CollectionView
from focused.utils.file_names import VERDICTS_FOLDER

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping
    from pathlib import Path


def why_not_judged(row: sqlite3.Row | Mapping[str, Any]) -> str:
    """Return why a page of a collection cannot be judged, as in a `JudgingSession`; empty if it can."""
    if row["noindex"]:
        return "It asks not to be indexed: nothing is delivered of it, whatever people say"
    if row["duplicate_of"]:
        return "It is a copy: judge the page that it repeats"
    return ""


def judge_chosen(run_dir: Path, person: str, number: int, relevant: bool | None) -> None:
    """Write what a person says of the page with an id; None: the person takes it back.

    It says nothing of how good the collection is: the page was not drawn at random.

    Raises
    ------
    ValueError
        If the person's name is not valid, or the page is not there or cannot be judged.
    OSError
        If it could not be written.
    """
    log = VerdictLog(run_dir / VERDICTS_FOLDER, person)
    with CollectionView(run_dir) as view:
        row = next(view.rows("SELECT url, noindex, duplicate_of FROM pages WHERE id = ?", [number]), None)
        model = LearntVerdicts.read(view.about()).model
    if row is None:
        raise ValueError("This page is not in the collection any more")
    if why := why_not_judged(row):
        raise ValueError(why)
    log.write(Opinion(str(row["url"]), person, relevant, TAKEN_BACK if relevant is None else "", model=model))
