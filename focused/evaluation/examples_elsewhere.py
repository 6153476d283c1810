"""Examples of a topic from another recorded web: users' examples rarely are pages of the web that they crawl."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.evaluation.labels import read_labels
from focused.webs import RecordedWeb, open_web

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True)
class OtherWeb:
    """Another web, and which of its labels means a topic of the evaluated one."""

    #: Absolute path of a WARC file.
    web: str
    #: Absolute path of its labels.
    labels: str
    #: The label in that web, by topic. A topic that is missing here has its own name as its label.
    label_of: Mapping[str, str]


class OtherPages:
    """The labelled pages of another web. Raises ValueError if it cannot be opened, or its labels cannot be read."""

    def __init__(self, elsewhere: OtherWeb, settings: Any) -> None:
        self._elsewhere = elsewhere
        web = open_web(elsewhere.web, settings)
        assert isinstance(web, RecordedWeb)
        self._pages: dict[str, set[str]] = {}
        try:
            for url, labels in read_labels(Path(elsewhere.labels)):
                if (found := web.index.find(url)) is not None:
                    for label in labels:
                        self._pages.setdefault(label, set()).add(found[0].url)
        finally:
            web.close()

    def draw(self, topic: str, n: int, key: tuple[object, ...]) -> list[str]:
        """Return the URLs of ``n`` pages of a topic, all if there are fewer; ``key`` is the seed.

        Raises ValueError if no page has its label.
        """
        label = self._elsewhere.label_of.get(topic, topic)
        pages = sorted(self._pages.get(label, ()))
        if not pages:
            known = ", ".join(sorted(self._pages, key=lambda name: (-len(self._pages[name]), name))[:30])
            of = f"{label!r}, a label of no page of {self._elsewhere.web}"
            raise ValueError(f"--elsewhere-topics names {of}. There are: {known}.")
        drawn = random.Random("\x1f".join(map(str, (*key, Path(self._elsewhere.web).name, label, "elsewhere"))))
        return sorted(drawn.sample(pages, min(n, len(pages))))
