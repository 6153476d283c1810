"""Trains for all workers of a crawl, in a thread of its own, from the pages and verdicts in the database.

That is what people say, and, where the model learns against the pages met (docs/method/, D74), all pages of all workers.

One connection to the database holds an advisory lock; when its worker ends, another one trains. Workers of recorded webs wait
for a training against the pages met.
"""

from __future__ import annotations

import logging
import threading
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from focused.crawl.shared_pages import SharedPages
from focused.frontier.shared import version_rows as rows
from focused.frontier.shared.schema import AWAY, connect
from focused.method.topic.parcel import packed, unpack_into
from focused.retraining.judged_pages import write_record
from focused.retraining.page_labels import trainings_due
from focused.retraining.training_process import TrainingProcess
from focused.retraining.version_store import VersionStore
from focused.retraining.versions import FIRST, FOLDER, LABELS_FILE, attempt, load_version, read_labels, version_in_use
from focused.utils.database import what_to_do
from focused.utils.files import write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import psycopg

    from focused.method.topic import Topic
    from focused.retraining.options import RetrainingOptions
    from focused.retraining.training_task import Task
    from focused.retraining.versions import Attempt

logger = logging.getLogger(__name__)

_LOOK_SECS = 0.5
_WAIT_SECS = 2.0
"""How often a worker asks whether it is its turn."""
_POLL_SECS = 0.1
_MAX_FAILURES = 3
_SAID = "said"
"""Of an attempt: the number of the last verdict that it knew."""


@dataclass(frozen=True)
class SharedTraining:
    """What the workers of a crawl train, and what from."""

    url: str
    #: The crawl's number in the database.
    crawl: int
    #: The crawl's topic, as it was trained: version 1.
    topic: Topic
    options: RetrainingOptions
    #: For this worker's trainings.
    folder: Path
    #: Whether versions keep their examples, for a strategy that learns from them.
    keeps_examples: bool
    #: Whether these keep their links; a session knows the outcomes of the crawl's already.
    keeps_links: bool
    #: Whether the pages met are the unlabelled ones, not the topic's own.
    is_against_met: bool = False
    #: Returns the number of this worker.
    worker: Callable[[], int] = lambda: 1


class SharedTrainer(threading.Thread):
    """Trains when people have said something new and as many pages as the options say were fetched, or judged, since.

    Against the pages met it trains after 20, 40, 60, ... pages, and when people have judged as many as the options say. Only
    one worker of a crawl does. ``ended`` is called, in this thread, with each training that is in the database now.
    """

    def __init__(self, training: SharedTraining, ended: Callable[[Attempt], None]) -> None:
        super().__init__(name="trainer", daemon=True)
        self._training, self._ended = training, ended
        self._process = TrainingProcess(training.options.timeout_secs)
        self._stopping = threading.Event()
        self._n_failed_in_a_row = 0
        self._is_said = False
        self._begin_anew()

    def stop(self) -> None:
        """End the thread; a training that is under way is lost."""
        self._stopping.set()

    def run(self) -> None:
        """Train whenever it is this worker's turn, until the thread is to stop."""
        with closing(self._process):
            while not self._stopping.is_set():
                try:
                    self._work()
                except AWAY as error:  # another connection, later
                    self._say_if_too_many(error)
                self._stopping.wait(_LOOK_SECS)

    # --- Inside

    def _say_if_too_many(self, error: Exception) -> None:
        """Say once that the server allows no connection to train with; that it is away others say."""
        if (remedy := what_to_do(error)) and not self._is_said:
            self._is_said = True
            logger.warning(
                "This worker trains no model while it gets no connection for that: %s%s",
                *(" ".join(str(error).split()).rstrip("."), remedy),
            )

    def _begin_anew(self) -> None:
        about = self._training
        self._pages = SharedPages(about.crawl, about.options, is_against_met=about.is_against_met)
        #: Verdicts that are news, and pages fetched, by the last training.
        self._n_new = self._n_trained = 0
        self._in_use = FIRST
        #: The labels that the last training was asked with; whether pages that people have judged were not there yet.
        self._asked: dict[int, bool] = {}
        self._is_waiting = False

    def _work(self) -> None:
        about = self._training
        with connect(about.url) as sql:
            # Who has no number now has lost its lease: others could not tell that this one trains.
            while not (worker := about.worker()) or not rows.may_train(sql, about.crawl, worker):
                if self._stopping.wait(_WAIT_SECS):
                    return
            with closing(VersionStore(about.folder, about.topic, about.options)) as versions:
                self._take_up(sql, versions)
                while not self._stopping.wait(_LOOK_SECS) and self._n_failed_in_a_row < _MAX_FAILURES:
                    if about.worker() not in (0, worker):  # it has joined again
                        rows.name_trainer(sql, worker := about.worker())
                    self._n_new += self._pages.read_verdicts(sql)
                    if self._is_due(sql):
                        self._train(sql, versions)
        if self._n_failed_in_a_row >= _MAX_FAILURES:
            logger.error("Training failed %d times in a row. This worker stops training for the others.", _MAX_FAILURES)
            self._stopping.set()

    def _take_up(self, sql: psycopg.Connection[Any], versions: VersionStore) -> None:
        """Continue the trainings of another worker that has ended."""
        self._begin_anew()
        known = rows.attempts(sql, self._training.crawl)
        earlier = [attempt(each) for each in known]
        versions.continue_after(earlier)
        if not earlier:
            return
        self._n_trained, n_heard = earlier[-1].n_pages, int(known[-1].get(_SAID, 0))
        self._n_new += self._pages.read_verdicts(sql, n_heard)
        self._in_use, self._is_waiting = version_in_use(earlier), True
        if (in_use := rows.version_to_use(sql, self._training.crawl)) is not None:
            folder = self._training.folder / FOLDER / str(in_use.version)
            unpack_into(folder / self._training.topic.name, in_use.files)
            write_json(folder / LABELS_FILE, {str(number): label for number, (label, _) in in_use.labels.items()})

    def _is_due(self, sql: psycopg.Connection[Any]) -> bool:
        every = self._training.options.every_pages
        if self._n_new >= every:
            return True
        n_pages = rows.n_pages(sql, self._training.crawl)
        if self._training.is_against_met:
            if n_pages:
                self._process.get_ready()
            return trainings_due(n_pages) > trainings_due(self._n_trained)
        return bool(self._n_new or self._is_waiting) and n_pages - self._n_trained >= every

    def _train(self, sql: psycopg.Connection[Any], versions: VersionStore) -> None:
        about, n_new, n_trained = self._training, self._n_new, self._n_trained
        self._n_trained, self._n_new = rows.n_pages(sql, about.crawl), 0
        labels, pages = self._pages.learnable(sql)
        self._is_waiting = len(labels.by_verdict) < len(self._pages.urls)
        if labels.by_verdict == self._asked and not about.is_against_met:
            return  # what is new is about pages that are not there yet, or without words
        self._asked = dict(labels.by_verdict)
        write_record(about.folder, pages)
        options = {"keeps_examples": about.keeps_examples, "keeps_links": about.keeps_links}
        task = versions.next_task(labels, in_use=self._in_use, n_pages=self._n_trained, **options)
        found = self._answer(task)
        if found is None:  # its process may have been killed: what people have said is still to be learnt
            self._n_failed_in_a_row += 1
            self._asked, self._n_trained = {}, n_trained
            self._n_new = n_new if about.is_against_met else max(n_new, about.options.every_pages)
            return
        self._n_failed_in_a_row = 0
        versions.add(found)
        files, learnt = dict[str, bytes](), dict[int, tuple[bool, str]]()
        if found.accepted:
            files = packed(load_version(about.folder, about.topic, found.version))
            urls = {page.number: page.url for page in pages}
            known = read_labels(about.folder, found.version)
            learnt = {number: (label, urls[number]) for number, label in known.items() if number in urls}
        if rows.add_version(sql, about.crawl, asdict(found) | {_SAID: self._pages.last_number}, learnt, files):
            self._in_use = found.version if found.accepted else self._in_use
            self._ended(found)

    def _answer(self, task: Task) -> Attempt | None:
        """Return what comes of a training; None if it fails, or the thread is to stop before."""
        if not self._process.ask(task):
            return None
        while self._process.is_busy and not self._stopping.wait(_POLL_SECS):
            if (found := self._process.poll()) is not None:
                return found
        return None
