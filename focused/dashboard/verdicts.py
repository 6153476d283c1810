"""What people say of a run's pages: at once in what is shown, by whom, and where they contradict each other."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.collection.figure_words import figure_lines
from focused.collection.judged import JudgedCollection
from focused.collection.schema import CollectionFileError
from focused.collection.verdict_folder import ASSESSOR
from focused.dashboard.soon import Soon
from focused.retraining.applied_verdicts import apply_verdicts
from focused.utils.file_names import VERDICTS_FOLDER
from focused.utils.own_files import check_own_files
from focused.utils.sqlite_files import TAKING_IN_SECS, done_within

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MAX_DISPUTED = 100
_MAX_RUNS = 500

Stamps = tuple[tuple[str, int, int], ...]


class TakenIn:
    """Lets collections follow their verdict files before they are shown; files that have not changed are not read again."""

    def __init__(self) -> None:
        self._known: dict[Path, Stamps] = {}
        self._soon = Soon[str]()

    def take_in(self, run_dir: Path) -> str:
        """Follow what people say; return why the collection does not yet, empty where it does."""
        said = self._soon.get(run_dir, lambda: self._take_in(run_dir))
        return "The newest verdicts are being taken in. Load this page again in a moment" if said is None else said

    def _take_in(self, run_dir: Path) -> str:
        try:
            state = verdict_stamps(run_dir)
            if state != self._known.get(run_dir, ()):
                check_own_files(run_dir, "Move it away")
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
    #: Pages of which people say different things: the row, and what each says, by name.
    disputed: list[tuple[Any, dict[str, bool]]]
    n_disputed: int
    #: Precision and recall in words.
    figures: list[str]
    #: More has been written since, and is being read.
    is_old: bool = False


def read_opinions(run_dir: Path) -> Opinions:
    """Read them; a `CollectionFileError` says why there is nothing to read."""
    with done_within(TAKING_IN_SECS), JudgedCollection(run_dir) as judged:
        if not judged.folder.read():  # the pages need not be read, however many there are
            return Opinions({}, [], 0, [])
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
    return Opinions(dict(sorted(people.items())), rows, len(disputed), lines)


def _is_program(person: str) -> bool:
    return person.startswith(ASSESSOR)
