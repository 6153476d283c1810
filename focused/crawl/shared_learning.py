"""Uses the model of a shared crawl in a folder that follows it: estimates the harvest, judges pages again.

When the workers have ended, the topic is trained once more against all pages met, and the folder's collection is judged by
that version, as at the end of a crawl of one process (docs/method/collection.md). The database keeps what was said as pages
came. Two folders get the same result, except that equal pages may stand in another order, which changes the folds of the
training.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, replace
from math import inf
from typing import TYPE_CHECKING, Any

from focused.collection.judged_rows import JudgedRows
from focused.crawl.final_judging import counts_of
from focused.crawl.harvest_so_far import HarvestSoFar
from focused.crawl.shared_pages import SharedPages
from focused.frontier.shared.crawls import topic_files
from focused.method.topic import Topic, TopicError
from focused.method.topic.parcel import unpacked
from focused.retraining.judged_pages import write_record
from focused.retraining.options import RetrainingOptions, read_options
from focused.retraining.page_labels import FIRST_MET
from focused.retraining.training_task import HARVEST_TASK_FILE
from focused.retraining.version_store import VersionStore
from focused.retraining.versions import FIRST, FOLDER, Attempt, attempt, load_version, read_attempts, version_in_use
from focused.utils.crawl_settings import PAGE_CLASSIFIER
from focused.utils.file_names import COLLECTION_FILE
from focused.utils.files import read_regular, write_json
from focused.utils.frontier_settings import DATABASE
from focused.utils.output_settings import JUDGE_AGAIN_SECS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from focused.crawl.shared_run import SharedRun
    from focused.retraining.page_labels import PageLabels

LAST_FILE = "last-training.json"
"""What came of the training at the end; it is not done again for the same pages."""
_MAX_BYTES = 10_000_000

_TOPICS: dict[tuple[str, str], Topic] = {}
"""Topics that were read, by the database's address and the crawl's name: each has a folder until this process ends."""


def _topic_of(run: SharedRun) -> Topic:
    key = run.connection.info.dsn, f"{run.name} {run.about['model_sha256']}"
    if key not in _TOPICS:
        _TOPICS[key] = unpacked(str(run.about["arguments"]["topic"]), topic_files(run.connection, run.number))
    return _TOPICS[key]


@dataclass(frozen=True)
class SharedModel:
    """The model of a crawl in a database, for a folder that follows it."""

    run: SharedRun
    run_dir: Path
    topic: Topic
    #: Those that the crawl's topic and its first worker have said.
    settings: Mapping[str, Any]
    options: RetrainingOptions

    @classmethod
    def of(cls, run: SharedRun, run_dir: Path) -> SharedModel:
        """Read what the crawl is; errors are ValueErrors."""
        topic = _topic_of(run)
        said: dict[str, Any] = next(
            (each["settings"] for each in run.runs() if isinstance(each.get("settings"), dict)), {}
        )
        settings = {**topic.settings, **said, **run.about["settings"]}
        settings.pop(DATABASE.name, None)  # what the folder has is as if one process had crawled
        return cls(run, run_dir, topic, settings, read_options(settings, topic))

    @property
    def is_against_met(self) -> bool:
        """Whether the model learns against the pages met."""
        return self.options.is_against_met(self.topic)

    def estimate(self) -> HarvestSoFar:
        """Return what estimates the harvest of the crawl, which is to hear of its pages."""
        return HarvestSoFar.of_crawl(self.topic, self.settings)

    def harvests(self) -> dict[int, Mapping[str, float]]:
        """Return what the trainings say of the harvest, by the number of pages then."""
        known = [each for each in read_attempts(self.run_dir) if each.accepted]
        if (last := self._last()) is not None:
            known.append(last)
        return {each.n_pages: each.harvest for each in known if each.harvest or each.is_from_elsewhere}

    def record(self) -> PageLabels:
        """Write down the pages that can be learnt from, with the numbers that they have in the folder; return the labels.

        So ``scrapy train --from-run`` learns from them, also while the crawl is under way.
        """
        shared = SharedPages(self.run.number, self.options, is_against_met=True)
        shared.read_verdicts(self.run.connection)
        labels, pages = shared.learnable(self.run.connection)
        with closing(sqlite3.connect(self.run_dir / COLLECTION_FILE)) as sql:
            numbers = dict(sql.execute("SELECT url, number FROM pages"))
        here = {page.number: numbers[page.url] for page in pages if page.url in numbers}
        labels.by_verdict = {here[number]: label for number, label in labels.by_verdict.items() if number in here}
        kept = [replace(page, number=here[page.number]) for page in pages if page.number in here]
        write_record(self.run_dir, sorted(kept, key=lambda page: page.number))
        return labels

    def counts(self) -> dict[str, int]:
        """Return the stats of all trainings, those of workers that were killed included."""
        known = read_attempts(self.run_dir)
        n_accepted = sum(each.accepted for each in known)
        counts = {"trainings_finished": len(known), "accepted": n_accepted, "refused": len(known) - n_accepted}
        return {f"focused/retraining/{name}_count": n for name, n in counts.items() if n}

    def finish(self, n_pages: int, labels: PageLabels | None) -> dict[str, int]:
        """Train once more and judge the collection again, where that is still to be done; return the stats of it.

        ``labels``: as of `record`; None where the model does not learn against the pages met.
        Nothing is done, and nothing returned, where the crawl has learnt nothing, or more than words decide.
        """
        if PAGE_CLASSIFIER.read(self.settings) or not JUDGE_AGAIN_SECS.read(self.settings):
            return {}
        version = version_in_use(read_attempts(self.run_dir))
        if labels is not None and not self.topic.keyword_terms and n_pages >= FIRST_MET:
            last = self._last()
            if last is None or last.n_pages != n_pages or not (last.why or self._has(last.version)):
                last = self._train(n_pages, labels)
            if last is not None and not last.why:
                version = last.version
        return {} if version == FIRST else self._judge(version)

    # --- Inside

    def _last(self) -> Attempt | None:
        """Return the training at the end; None if there was none yet."""
        with suppress(FileNotFoundError, ValueError, TypeError, KeyError, RecursionError):
            return attempt(json.loads(read_regular(self.run_dir / LAST_FILE, _MAX_BYTES)))
        return None

    def _has(self, version: int) -> bool:
        """Tell whether the folder has a version of the model."""
        return (self.run_dir / FOLDER / str(version) / self.topic.name).is_dir()

    def _train(self, n_pages: int, labels: PageLabels) -> Attempt | None:
        from focused.retraining.training_process import TrainingProcess

        known = read_attempts(self.run_dir)
        with closing(VersionStore(self.run_dir, self.topic, self.options)) as versions:
            versions.continue_after(known)
            task = versions.last_task(labels, in_use=version_in_use(known), n_pages=n_pages)
        with closing(TrainingProcess(self.options.timeout_secs)) as process:
            found = process.wait() if process.ask(task) else None
        (self.run_dir / HARVEST_TASK_FILE).unlink(missing_ok=True)
        if found is not None:
            write_json(self.run_dir / LAST_FILE, asdict(found))
        return found

    def _judge(self, version: int) -> dict[str, int]:
        """Judge all pages by a version, if no later one has."""
        from focused.crawl.reader_and_judge import make_judge
        from focused.retraining.judged_again import JudgingAgain, note_what_is_learnt

        try:
            topic = load_version(self.run_dir, self.topic, version)
        except (TopicError, OSError):
            return {}
        with closing(JudgedRows(self.run_dir / COLLECTION_FILE)) as rows:
            work = JudgingAgain(rows, make_judge(topic, self.settings), version, inf)
            if not work.is_due:
                return {}
            note_what_is_learnt(self.run_dir, topic)
            for _ in work.steps():
                pass
        return counts_of(work)
