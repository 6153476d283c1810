"""The labels of a web's pages: from a file, or from classifiers (and then marked as such)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from focused.crawl.reader_and_judge import make_judge, make_reader
from focused.method.topic import load_topic

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from focused.webs import RecordedWeb


@dataclass
class Labels:
    """The labels of the pages of one web."""

    #: Labels of each page, by the web's URL.
    of_page: dict[str, frozenset[str]] = field(default_factory=dict)
    #: URLs of the file that are no page of the web.
    unknown: list[str] = field(default_factory=list)
    #: Number of pages without a line in the file: they count as irrelevant.
    n_unlabelled: int = 0
    #: Names of the topics whose classifiers made the labels; empty if people did.
    made_by: tuple[str, ...] = ()

    @property
    def counts(self) -> Counter[str]:
        """Pages by label."""
        return Counter(label for labels in self.of_page.values() for label in labels)

    def pages_of(self, label: str) -> list[str]:
        """Return the URLs of the pages with a label, in alphabetical order."""
        return sorted(url for url, labels in self.of_page.items() if label in labels)


def read_labels(path: Path) -> list[tuple[str, frozenset[str]]]:
    """Return the lines of a file of labels: after a header line, URL, tab, and labels separated by ``|``.

    Raises ValueError if a line has another form; the message names the line.
    """
    found: list[tuple[str, frozenset[str]]] = []
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # not at U+2028 and the like: labels may hold them
    except OSError as error:
        raise ValueError(f"The file of labels {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise ValueError(f"The file of labels {path} must be UTF-8 text.") from None
    for number, line in enumerate(lines, 1):
        if not line.strip() or (number == 1 and "://" not in line):
            continue
        url, tab, labels = line.partition("\t")
        if not tab or "://" not in url or "\t" in labels.strip():
            raise ValueError(
                f"{path} line {number} must be a URL, a tab and labels separated by '|'. Got {line[:80]!r}. Example: "
                f"http://a.example/<TAB>student|staff"
            )
        names = frozenset(name.strip() for name in labels.split("|") if name.strip())
        found.append((url.strip(), names))
    if not any(names for _, names in found):
        raise ValueError(f"{path} holds no labels. It must have lines of a URL, a tab and labels separated by '|'.")
    return found


def match_labels(
    lines: Sequence[tuple[str, frozenset[str]]], pages: Sequence[str], find: Callable[[str], str | None]
) -> Labels:
    """Give the pages of a web their labels.

    ``pages``: the URLs of the web's pages. ``find``: returns the web's URL of the page that answers a URL (exact, else
    canonical, else tolerant form), or None.
    """
    known = set(pages)
    labels = Labels()
    for url, names in lines:
        page: str | None = url if url in known else find(url)
        if page is None or page not in known:
            labels.unknown.append(url)
        else:
            labels.of_page[page] = labels.of_page.get(page, frozenset()) | names
    labels.n_unlabelled = len(known) - len(labels.of_page)
    return labels


def labels_from_topics(
    names: Sequence[str], models_dirs: Sequence[Path], web: RecordedWeb, pages: Sequence[str], settings: Any, track: Any
) -> Labels:
    """Label all pages of a web by the classifiers of topics: a page has the name of each topic that it is relevant for.

    Raises TopicError if a topic cannot be loaded.
    """
    made = Labels(made_by=tuple(names))
    found: dict[str, set[str]] = {url: set() for url in pages}
    for name in names:
        topic = load_topic(name, *models_dirs)
        reader, judge = make_reader(topic.analyzer, settings), make_judge(topic, settings)
        for url in track(list(pages), f"pages labelled by {name}"):
            answer = web.answer(url)
            kind = next((value for key, value in answer.headers if key.lower() == "content-type"), "")
            if judge.relevance(reader.read(answer.body, url, kind)).is_relevant:
                found[url].add(name)
    made.of_page = {url: frozenset(labels) for url, labels in found.items()}
    return made
