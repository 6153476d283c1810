"""`VersionStore`: numbers the trainings of a crawl, makes their tasks, and lists them in the run directory."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from focused.method.topic import TopicError
from focused.retraining.training_task import Task
from focused.retraining.versions import FIRST, load_version, made_at_ends, read_labels
from focused.utils.file_names import RETRAINING_FILE, VERSIONS_FILE
from focused.utils.files import LineFile

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.options import RetrainingOptions
    from focused.retraining.page_labels import PageLabels
    from focused.retraining.versions import Attempt


@dataclass(eq=False)
class VersionStore:
    """Numbers the trainings of a crawl and lists them in its run directory."""

    run_dir: Path
    #: The crawl's topic, as it was trained: version 1.
    topic: Topic
    options: RetrainingOptions

    def __post_init__(self) -> None:
        self._list = LineFile(self.run_dir / VERSIONS_FILE)
        self._last = FIRST

    def continue_after(self, attempts: list[Attempt]) -> None:
        """Number the next training after those of an earlier run of the crawl."""
        self._last = max([FIRST, *(each.version for each in attempts), *made_at_ends(self.run_dir)])

    def last_task(self, labels: PageLabels, *, in_use: int, n_pages: int) -> Task:
        """Return the task of the training at the end of a crawl: it estimates the harvest and judges the collection."""
        self._last += 1
        task = self._task(labels, in_use=in_use, keeps_examples=False, keeps_links=False, n_pages=n_pages)
        return replace(task, is_last=True)

    def next_task(
        self, labels: PageLabels, *, in_use: int, keeps_examples: bool, keeps_links: bool, n_pages: int
    ) -> Task:
        """Return the task of training the next version, which is compared with that in use, after so many pages."""
        self._last += 1
        return self._task(
            labels, in_use=in_use, keeps_examples=keeps_examples, keeps_links=keeps_links, n_pages=n_pages
        )

    def _task(self, labels: PageLabels, *, in_use: int, keeps_examples: bool, keeps_links: bool, n_pages: int) -> Task:
        assert self.topic.directory is not None
        chosen = labels.chosen()
        return Task(
            version=self._last,
            in_use=in_use,
            topic=self.topic.name,
            models_dir=str(self.topic.directory.parent.resolve()),
            run_dir=str(self.run_dir),
            n_bytes=(self.run_dir / RETRAINING_FILE).stat().st_size,
            labels={str(number): label for number, label in chosen.items()},
            verdicts=[number for number in chosen if number in labels.by_verdict],
            tolerance=self.options.tolerance,
            random_state=int(self.topic.manifest.get("random_state") or 0),
            filters_label_noise=self.options.filters_label_noise,
            has_veto=self.options.has_veto,
            keeps_examples=keeps_examples,
            keeps_links=keeps_links,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            n_pages=n_pages,
            is_against_met=labels.is_against_met,
            threshold=self.options.threshold,
        )

    def add(self, attempt: Attempt) -> None:
        """List a training that has ended."""
        self._list.write(attempt.to_line())

    def close(self) -> int:
        """Close the list; return how many lines could not be written."""
        self._list.close()
        return self._list.n_failed

    def load_last(self, version: int) -> Topic | None:
        """Return the version that was trained at the end of the crawl; None if there is none."""
        with suppress(TopicError, OSError):
            return load_version(self.run_dir, self.topic, version)
        return None

    def load(self, version: int) -> tuple[Topic, dict[int, bool]]:
        """Return a version and the labels that it was trained with; a `TopicError` or `OSError` if it cannot be read."""
        return load_version(self.run_dir, self.topic, version), read_labels(self.run_dir, version)
