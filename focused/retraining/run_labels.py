"""Reads the labels of a finished crawl from its run directory, so that its topic can be trained from them for good.

Labels are what a crawl with retraining learnt from, and what people say of pages of any crawl. The words of a page come from
the record of judged pages, or else from the collection.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.verdict_words import contradictions
from focused.collection.view import CollectionView, terms_of
from focused.method.topic import COUNTING, TopicError
from focused.retraining.applied_verdicts import KnownForms
from focused.retraining.feedback_files import FeedbackFiles
from focused.retraining.judged_pages import JudgedPage, pages_to_learn_from, read_record, record_path
from focused.retraining.verdict_reader import MAX_PAGES
from focused.retraining.verdict_table import VerdictTable
from focused.retraining.versions import FIRST, load_version, read_attempts, read_labels, version_in_use
from focused.utils.file_names import COLLECTION_FILE, RUN_FILE, VERDICTS_FOLDER
from focused.utils.files import read_regular
from focused.utils.own_files import check_own_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from focused.method.topic import Topic

logger = logging.getLogger(__name__)

_MAX_RUN_BYTES = 50_000_000
RUN_MODEL = "run_model_sha256"
"""Under which a topic's manifest keeps the model that the run began with from which the topic was trained."""


@dataclass(frozen=True)
class RunLabels:
    """The pages of a crawl, the labels that the last version it used was learnt with, and what people say now."""

    version: int
    #: Of a page's number: whether it is relevant; verdicts included.
    labels: dict[int, bool]
    #: Those of them that people have given.
    verdicts: dict[int, bool]
    #: All that the crawl judged.
    pages: list[JudgedPage]
    #: Whether that version was trained against the pages met.
    is_against_met: bool
    #: Lines of the record that could not be read.
    n_bad: int
    #: Pages with a verdict whose words were not kept.
    n_without_words: int
    #: Verdicts on pages that the crawl has not fetched.
    n_not_fetched: int
    #: What each person says of each page, by the canonical form of its URL.
    said: Mapping[str, Mapping[str, bool]]
    #: Digest of the model that the crawl began with.
    model_sha256: str


def read_run_labels(run_dir: Path, topic: Topic, *, further: Sequence[Path] = (), force: bool = False) -> RunLabels:
    """Read what a crawl of a topic learnt from, and what people say of its pages.

    ``further`` verdict files are read beside ``RUN_DIR/verdicts/``. With ``force`` also if the topic has been trained since,
    from something else than this run.

    Raises
    ------
    ValueError
        If the run is of another topic or model, or nothing joined in it; the message says what to do.
    """
    check_own_files(run_dir, "Move it away, or name another folder: --from-run RUN_DIR", may_link=True)
    run = _read_run(run_dir)
    if run.get("topic") != topic.name:
        raise ValueError(f"{run_dir} is a crawl of topic {run.get('topic')!r}. Name that topic, or another run.")
    began_with = str(run.get("model_sha256") or "")
    if not (began_with == topic.model_sha256 or is_trained_from(topic, run_dir, began_with) or force):
        raise ValueError(
            f"{run_dir} was crawled with another model of topic {topic.name!r} than the one there is: it has been trained "
            "since, and not from this run. Train from it nevertheless with --force."
        )
    attempts = read_attempts(run_dir)
    version = version_in_use(attempts)
    labels = _labels_of(run_dir, topic, version)
    pages, n_bad = read_record(record_path(run_dir))
    said = _said(run_dir, pages, further)
    judged, n_without_words, n_not_fetched = _judged(run_dir, pages, said)
    verdicts = {page.number: relevant for page, relevant in judged}
    if version == FIRST and not verdicts:
        if n_without_words:
            raise ValueError(
                f"No words were kept of the {n_without_words} pages of {run_dir} that people judged. Crawl with "
                "FOCUSED_COLLECTION=on, and judge pages of that run."
            )
        why = _why_contradicted(said) or _why_nothing(run, len(attempts))
        raise ValueError(f"Nothing was learnt in {run_dir}: {why}")
    known = {page.number for page in pages if page.terms}
    every = sorted(
        [page for page in pages if page.terms or page.number not in verdicts]
        + [page for page, _ in judged if page.number not in known],
        key=lambda page: page.number,
    )
    # A crawl for words that meets them at once draws nothing, and learns from the pages met all the same.
    of_words = bool(topic.keyword_terms) and not labels
    is_against_met = any(
        each.version == version and (each.n_drawn or (of_words and each.n_unlabeled)) for each in attempts
    )
    found = RunLabels(
        version,
        labels | verdicts,
        verdicts,
        every,
        is_against_met,
        n_bad,
        n_without_words,
        n_not_fetched,
        said.verdicts_by_page(),
        began_with,
    )
    if not (is_against_met or pages_to_learn_from(found.pages, found.labels)):
        raise ValueError(f"{record_path(run_dir)} holds none of the pages that version {version} was learnt from.")
    return found


def is_trained_from(topic: Topic, run_dir: Path, began_with: str) -> bool:
    """Return whether a topic's model was trained from a run, which began with a model of this digest.

    Once or several times, one after the other: judging and training take turns.
    """
    about = topic.manifest.get("retraining") or {}
    # Manifests of before there was the second one name only the model that was trained again.
    first = about.get(RUN_MODEL, about.get("from_model_sha256"))
    return bool(began_with) and about.get("from_run") == run_dir.name and first == began_with


def was_trained_from(topic: Topic, run_dir: Path) -> bool:
    """Tell as `is_trained_from`, but read the file of the run first; a `TopicError` says that it cannot be read."""
    return is_trained_from(topic, run_dir, str(_read_run(run_dir).get("model_sha256") or ""))


def _labels_of(run_dir: Path, topic: Topic, version: int) -> dict[int, bool]:
    """Return the labels that a version was learnt with; none of the topic's own model."""
    if version == FIRST:
        return {}
    counting = load_version(run_dir, topic, version).manifest.get("counting")
    if counting != COUNTING:
        raise ValueError(
            f"{run_dir} was crawled by another version, which counted other terms of a page (counting {counting}, now "
            f"{COUNTING}): its pages cannot join topic {topic.name!r}. Crawl again with "
            "-s FOCUSED_RETRAINING=automatic, interactive or both."
        )
    try:
        return read_labels(run_dir, version)
    except (OSError, ValueError, AttributeError) as error:
        raise ValueError(f"The labels of version {version} in {run_dir} cannot be read: {error}.") from None


def _said(run_dir: Path, pages: Sequence[JudgedPage], further: Sequence[Path]) -> VerdictTable:
    """Return what people say of pages of a run."""
    known: set[str] = set()

    def is_known(form: str) -> bool:
        if not known:
            known.update(form for urls in _addresses(run_dir, pages) for form in KnownForms().remember(*urls))
        return form in known

    table, files = VerdictTable(MAX_PAGES, is_known), FeedbackFiles(*further, optional=run_dir / VERDICTS_FOLDER)
    while True:
        for verdict in files.read_new():
            table.add(verdict)
        for fault in files.faults():
            logger.warning(fault)
        if not files.has_more:
            break
    if about := table.about_forgotten():
        logger.warning(about)
    return table


def _addresses(run_dir: Path, pages: Sequence[JudgedPage]) -> Iterator[tuple[str, str]]:
    """Yield URL and location of all pages of a run."""
    yield from ((page.url, page.url) for page in pages)
    if (run_dir / COLLECTION_FILE).is_file():
        with CollectionView(run_dir) as view:
            yield from ((row["url"], row["location"]) for row in view.rows("SELECT url, location FROM pages"))


def _judged(
    run_dir: Path, pages: Sequence[JudgedPage], table: VerdictTable
) -> tuple[list[tuple[JudgedPage, bool]], int, int]:
    """Return the pages that people have judged, with words, and what they say; how many there are without words.

    And how many verdicts are on pages that the crawl has not fetched.
    """
    if not len(table):
        return [], 0, 0
    not_met = {each.url for each in table}
    found: dict[int, tuple[JudgedPage, bool]] = {}
    without = set()
    forms = KnownForms()
    for page in pages:
        known_as = forms.remember(page.url, page.url)
        not_met.difference_update(known_as)
        relevant = table.relevant(known_as)
        if relevant is not None:
            if page.terms:
                found[page.number] = page, relevant
            else:
                without.add(page.number)
    if (run_dir / COLLECTION_FILE).is_file():
        with CollectionView(run_dir) as view:
            for row in view.pages():
                number, known_as = int(row["number"]), forms.remember(row["url"], row["location"])
                not_met.difference_update(known_as)
                relevant = table.relevant(known_as)
                if relevant is None or number in found:
                    continue
                if terms := terms_of(row):
                    found[number] = _of_collection(row, terms), relevant
                    without.discard(number)
                else:
                    without.add(number)
    return list(found.values()), len(without), sum(each.url in not_met and each.relevant is not None for each in table)


def _of_collection(row: Any, terms: dict[str, int]) -> JudgedPage:
    relevance = float(row["relevance"] or 0.0)
    return JudgedPage(int(row["number"]), row["url"], relevance, int(row["model_version"]), FIRST, None, terms)


def _why_contradicted(said: VerdictTable) -> str:
    """Return which verdicts count for nothing where they are all there is; empty if people agree."""
    return "; ".join(line.strip() for line in contradictions(said.verdicts_by_page()))


def _why_nothing(run: dict[str, Any], n_attempts: int) -> str:
    stats = run.get("stats")
    if isinstance(stats, dict) and stats.get("focused/retraining/trainings_count") and not n_attempts:
        return "none of the trainings that were begun had finished when it ended. Resume it with more pages."
    done = f"all {n_attempts} new models were refused" if n_attempts else "it did not train its model again"
    return (
        f"{done}, and nobody has judged its pages. Judge some (scrapy judge RUN_DIR), or crawl with FOCUSED_RETRAINING."
    )


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
