"""The figures of a run by people's verdicts, and those that are kept when a model learns from these verdicts."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.judged import JudgedCollection
from focused.collection.learnt_verdicts import KEY, LearntVerdicts, name_of_model
from focused.collection.schema import CollectionFileError, open_collection
from focused.utils.file_names import COLLECTION_FILE, VERDICTS_FOLDER

if TYPE_CHECKING:
    from pathlib import Path

    from focused.collection.figures import Figures


@dataclass(frozen=True, slots=True)
class JudgedFigures:
    """The figures of a run, and what the model believes of the pages that it calls relevant (None: there are none)."""

    figures: Figures
    believed: float | None

    def as_json(self) -> dict[str, Any]:
        """Return precision and recall, each with its interval, number of verdicts and pages; null where it is not known.

        Beside them those that were known before the model learnt from the verdicts.
        """
        found = self.figures
        shares = {"precision": found.precision, "recall": found.recall}
        shares |= {"former_precision": found.former_precision, "former_recall": found.former_recall}
        return {name: None if share is None else asdict(share) for name, share in shares.items()}


def judged_figures(run_dir: Path) -> JudgedFigures | None:
    """Return what people's verdicts say of a run; None if there is no verdict on a random page, or no collection to read."""
    if not (run_dir / VERDICTS_FOLDER).is_dir():
        return None
    try:
        with JudgedCollection(run_dir) as collection:
            collection.refresh()
            found = collection.figures()
            is_said = found.n_accepted + found.n_refused or found.former_precision or found.former_recall
            return JudgedFigures(found, collection.believed_precision()) if is_said else None
    except CollectionFileError:
        return None


def note_learnt(run_dir: Path, model_sha256: str) -> None:
    """Note that a model is going to judge a collection which has learnt from verdicts on its pages, and keep the figures.

    Nothing happens where it is noted already, or nobody has judged pages. A `CollectionFileError` says that the collection
    cannot be used, an `sqlite3.Error` that it cannot be written.
    """
    if not (run_dir / VERDICTS_FOLDER).is_dir():
        return
    with JudgedCollection(run_dir) as collection:
        collection.refresh()
        model, found = name_of_model(model_sha256), collection.figures()
        if collection.learnt.model == model or not collection.opinions:
            return
    kept = LearntVerdicts(model, found.precision or found.former_precision, found.recall or found.former_recall)
    with closing(open_collection(run_dir / COLLECTION_FILE)) as sql:
        sql.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (KEY, kept.to_text()))
