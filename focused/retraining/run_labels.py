"""The labels of a finished crawl, read from its run directory so that its topic can be trained from them for good."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.method.topic import COUNTING, TopicError
from focused.retraining.judged_pages import read_record, record_path, that_join
from focused.retraining.versions import FIRST, load_version, read_attempts, read_labels, version_in_use
from focused.utils.file_names import RUN_FILE
from focused.utils.files import read_regular
from focused.utils.own_files import check_own_files

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.judged_pages import JudgedPage

_MAX_RUN_BYTES = 50_000_000


@dataclass(frozen=True)
class RunLabels:
    """The pages of a crawl, and the labels that the last version it used was learnt with."""

    version: int
    #: Of a page's number: whether it is relevant.
    labels: dict[int, bool]
    #: All that the crawl judged.
    pages: list[JudgedPage]
    #: Whether that version was trained against the pages met.
    is_against_met: bool
    #: Lines of the record that could not be read.
    n_bad: int


def read_run_labels(run_dir: Path, topic: Topic, *, force: bool = False) -> RunLabels:
    """Read what a crawl of a topic learnt from; with ``force`` also if the topic has been trained since.

    Raises
    ------
    ValueError
        If the run is of another topic or model, or nothing joined in it; the message says what to do.
    """
    check_own_files(run_dir, "Move it away, or name another folder: --from-run RUN_DIR", may_link=True)
    run = _read_run(run_dir)
    if run.get("topic") != topic.name:
        raise ValueError(f"{run_dir} is a crawl of topic {run.get('topic')!r}. Name that topic, or another run.")
    if run.get("model_sha256") != topic.model_sha256 and not force:
        raise ValueError(
            f"{run_dir} was crawled with another model of topic {topic.name!r} than the one there is: it has been trained "
            "since, perhaps from this very run. Train from it nevertheless with --force."
        )
    attempts = read_attempts(run_dir)
    version = version_in_use(attempts)
    if version == FIRST:
        raise ValueError(f"Nothing was learnt in {run_dir}: {_why_nothing(run, len(attempts))}")
    counting = load_version(run_dir, topic, version).manifest.get("counting")
    if counting != COUNTING:
        raise ValueError(
            f"{run_dir} was crawled by another version, which counted other terms of a page (counting {counting}, now "
            f"{COUNTING}): its pages cannot join topic {topic.name!r}. Crawl again with "
            "-s FOCUSED_RETRAINING=automatic, interactive or both."
        )
    try:
        labels = read_labels(run_dir, version)
    except (OSError, ValueError, AttributeError) as error:
        raise ValueError(f"The labels of version {version} in {run_dir} cannot be read: {error}.") from None
    pages, n_bad = read_record(record_path(run_dir))
    is_against_met = any(each.version == version and each.n_drawn for each in attempts)
    found = RunLabels(version, labels, pages, is_against_met, n_bad)
    if not (is_against_met or that_join(found.pages, labels)):
        raise ValueError(f"{record_path(run_dir)} holds none of the pages that version {version} was learnt from.")
    return found


def _why_nothing(run: dict[str, Any], n_attempts: int) -> str:
    stats = run.get("stats")
    if isinstance(stats, dict) and stats.get("focused/retraining/trainings_count") and not n_attempts:
        return "none of the trainings that were begun had finished when it ended. Resume it with more pages."
    done = f"all {n_attempts} new models were refused" if n_attempts else "it did not train its model again"
    return f"{done}. Crawl with -s FOCUSED_RETRAINING=automatic, interactive or both."


def _read_run(run_dir: Path) -> dict[str, Any]:
    path = run_dir / RUN_FILE
    try:
        run = json.loads(read_regular(path, _MAX_RUN_BYTES))
    except (OSError, ValueError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or error
        raise TopicError(f"{path} cannot be read: {reason}. Name the folder of a crawl: --from-run RUN_DIR") from None
    if not isinstance(run, dict):
        raise TopicError(f"{path} is not what a crawl leaves. Name the folder of a crawl: --from-run RUN_DIR")
    return run
