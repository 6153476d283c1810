"""The versions of a crawl's model: what the next one is trained from, and those that are there to be used."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from focused.retraining.versions import FIRST, load_version, read_labels
from focused.retraining.worker import Task
from focused.utils.file_names import RETRAINING_FILE, VERSIONS_FILE
from focused.utils.files import LineFile

if TYPE_CHECKING:
    from pathlib import Path

    from focused.method.topic import Topic
    from focused.retraining.options import RetrainingOptions
    from focused.retraining.page_labels import PageLabels
    from focused.retraining.versions import Attempt


class VersionStore:
    """Numbers the trainings of a crawl and lists them in its run directory.

    Parameters
    ----------
    run_dir : Path
    topic : Topic
        The crawl's topic, as it was trained: version 1.
    options : RetrainingOptions
    """

    def __init__(self, run_dir: Path, topic: Topic, options: RetrainingOptions) -> None:
        self.run_dir = run_dir
        self.topic = topic
        self._list = LineFile(run_dir / VERSIONS_FILE)
        self._options = options
        self._last = FIRST

    def continue_after(self, attempts: list[Attempt]) -> None:
        """Number the next training after those of an earlier run of the crawl."""
        self._last = max((each.version for each in attempts), default=FIRST)

    def next_task(self, labels: PageLabels, *, in_use: int, keeps_examples: bool, n_pages: int) -> Task:
        """Return the task of training the next version.

        Parameters
        ----------
        labels : PageLabels
        in_use : int
            The version that it is compared with.
        keeps_examples : bool
            Whether the strategy learns from the version's examples.
        n_pages : int
            Pages judged so far.
        """
        assert self.topic.directory is not None
        self._last += 1
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
            tolerance=self._options.tolerance,
            random_state=int(self.topic.manifest.get("random_state") or 0),
            filters_label_noise=self._options.filters_label_noise,
            keeps_examples=keeps_examples,
            at=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            n_pages=n_pages,
        )

    def add(self, attempt: Attempt) -> None:
        """List a training that has ended."""
        self._list.write(attempt.to_line())

    def close(self) -> int:
        """Close the list; return how many lines could not be written."""
        self._list.close()
        return self._list.n_failed

    def load(self, version: int) -> tuple[Topic, dict[int, bool]]:
        """Return a version as a topic, and the labels that it was trained with, by the pages' numbers.

        Raises
        ------
        TopicError, OSError
            If it cannot be read.
        """
        return load_version(self.run_dir, self.topic, version), read_labels(self.run_dir, version)
