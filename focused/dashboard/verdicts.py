"""Applies people's verdicts to a run's collection, and reads who judged what, and where people contradict each other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.figure_words import figure_lines
from focused.collection.judged import JudgedCollection
from focused.collection.schema import CollectionFileError
from focused.collection.verdict_folder import ASSESSOR, ON_PAGE
from focused.dashboard.background_work import BackgroundWork
from focused.retraining.applied_verdicts import apply_verdicts
from focused.utils.file_names import VERDICTS_FOLDER
from focused.utils.own_files import check_own_files
from focused.utils.sqlite_files import TAKING_IN_SECS, done_within

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from focused.collection.verdict_folder import VerdictFolder

MAX_DISPUTED = MAX_PEOPLE = 100
_MAX_NAMED = 5
_TOO_MUCH = (
    f"The page reads verdict files of up to {ON_PAGE.n_bytes // 10**6} MB and {ON_PAGE.n_lines:,} lines, "
    f"{ON_PAGE.n_all_bytes // 10**6} MB in all"
)
_MAX_RUNS = 500

Stamps = tuple[tuple[str, int, int], ...]


class VerdictUpdates:
    """Applies new verdicts to collections before they are shown; verdict files that have not changed are not read again."""

    def __init__(self) -> None:
        self._known: dict[Path, Stamps] = {}
        self._background = BackgroundWork[str]()

    def apply(self, run_dir: Path) -> str:
        """Apply the verdicts of a run to its collection; return why they are not applied yet, or an empty text."""
        said = self._background.get(run_dir, lambda: self._apply(run_dir))
        return "The newest verdicts are being taken in. Load this page again in a moment" if said is None else said

    def _apply(self, run_dir: Path) -> str:
        try:
            state = verdict_stamps(run_dir)
            if state != self._known.get(run_dir, ()):
                check_own_files(run_dir, "Move it away")
                if sum(size for _, size, _ in state) > ON_PAGE.n_all_bytes:
                    raise ValueError(f"{_TOO_MUCH}. Take them in in a terminal: scrapy judge {run_dir}")
                with done_within(TAKING_IN_SECS):
                    apply_verdicts(run_dir)
        except (CollectionFileError, ValueError, OSError) as error:
            return f"The newest verdicts are not shown yet: {error}"
        self._known.pop(run_dir, None)
        self._known[run_dir] = state
        if len(self._known) > _MAX_RUNS:
            self._known.pop(next(iter(self._known)))
        return ""


def verdict_stamps(run_dir: Path) -> Stamps:
    """Return the stamps of a run's verdict files."""
    folder = run_dir / VERDICTS_FOLDER
    return stamps(folder.iterdir()) if folder.is_dir() and not folder.is_symlink() else ()


def stamps(files: Iterable[Path]) -> Stamps:
    """Return name, size and time of the files that hold anything: the same as long as nothing is written."""
    found = []
    for each in files:
        with suppress(FileNotFoundError):
            status = each.lstat()
            found.append((each.name, status.st_size, status.st_mtime_ns))
    return tuple(sorted(stamp for stamp in found if stamp[1]))


@dataclass(frozen=True, slots=True)
class Opinions:
    """What people say of the pages of a run."""

    #: By person: how often yes, how often no.
    people: dict[str, tuple[int, int]]
    #: Pages with contradicting verdicts: the row, and what each person says, by name.
    disputed: list[tuple[Any, dict[str, bool]]]
    n_disputed: int
    #: Precision and recall in words.
    figures: list[str]
    #: More has been written since, and is being read.
    is_old: bool = False


def read_opinions(run_dir: Path) -> Opinions:
    """Read them; a `CollectionFileError` says why there is nothing to read."""
    with done_within(TAKING_IN_SECS), JudgedCollection(run_dir, most=ON_PAGE) as judged:
        if not judged.folder.read():  # the pages need not be read, however many there are
            return Opinions({}, [], 0, not_counted(judged.folder))
        judged.refresh()
        said = judged.opinions_on_pages()
        people: dict[str, tuple[int, int]] = {}
        for each in said.values():
            for person, relevant in each.items():
                yes, no = people.get(person, (0, 0))
                people[person] = yes + relevant, no + (not relevant)
        disputed = [
            url for url, each in said.items() if len({v for who, v in each.items() if not _is_program(who)}) > 1
        ]
        rows = [(row, said[url]) for url in disputed[:MAX_DISPUTED] if (row := judged.row_of(url)) is not None]
        lines = list(figure_lines(judged.figures(), judged.believed_precision()))
        lines += not_counted(judged.folder)
    return Opinions(_most_people(people), rows, len(disputed), lines)


def not_counted(folder: VerdictFolder) -> list[str]:
    """Return a line that names the verdict files which hold too much for a page; none if there are none."""
    names = [path.name for path in folder.too_large[:_MAX_NAMED]]
    return [f"Not counted here: {', '.join(names)}. {_TOO_MUCH}"] if names else []


def _most_people(people: dict[str, tuple[int, int]]) -> dict[str, tuple[int, int]]:
    """Return people by name; of very many those who said most, and what the others said together."""
    by_number = sorted(people, key=lambda name: -sum(people[name]))
    others = [people[name] for name in by_number[MAX_PEOPLE:]]
    found = {name: people[name] for name in sorted(by_number[:MAX_PEOPLE])}
    if others:
        found[f"{len(others):,} others"] = sum(yes for yes, _ in others), sum(no for _, no in others)
    return found


def _is_program(person: str) -> bool:
    return person.startswith(ASSESSOR)
