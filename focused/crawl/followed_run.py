"""Keeps a run directory up to date with a crawl in a database: its files are those that a crawl of one process writes.

Commands read run directories. A command that is given a crawl in a database first brings its folder up to date: pages
that are new are added to ``collection.sqlite``; ``fetched.csv``, ``harvest.csv`` and ``run.json`` are written anew.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.collection.figure_words import figure_lines
from focused.collection.page import COLUMNS, CollectedPage, unpack_terms
from focused.collection.store import CollectionStore
from focused.collection.verdict_rows import VerdictRows
from focused.crawl import shared_rows
from focused.crawl.delivered_files import correct_pages
from focused.crawl.delivered_words import BY_PEOPLE, DELIVERED, ROWS
from focused.crawl.figures_by_people import figures_by_people
from focused.crawl.own_fields import own_values
from focused.crawl.shared_figures import DRAWN, FolderFigures
from focused.crawl.shared_run import SharedRun, merged_run
from focused.crawl.shared_verdicts import VerdictSender, sending
from focused.crawl.shared_versions import copy_versions
from focused.items import PageItem
from focused.utils.database import cannot_be_used, check_url, import_psycopg, is_database_url, split_crawl
from focused.utils.embedded_server import FOLDER, EmbeddedServer
from focused.utils.file_names import (
    COLLECTION_FILE,
    DATABASE_FILE,
    FETCHED_FILE,
    PAGES_FILE,
    RUN_FILE,
    RUNNING,
)
from focused.utils.files import read_regular, write_json
from focused.utils.folder_settings import RUNS_DIR
from focused.utils.frontier_settings import DATABASE

try:
    import fcntl
except ImportError:  # Windows has none: two commands at once may get in each other's way there
    fcntl = None  # type: ignore[assignment]

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from focused.frontier.shared.view import SharedFrontierView

_MAX_MARK_BYTES = 100_000
_MANY_PAGES = 5_000
"""The record of judged pages grows with the crawl. Beyond so many pages it is written only when the crawl is over."""


@dataclass(frozen=True, slots=True)
class FollowedCrawl:
    """The shared crawl that a run directory follows."""

    crawl: str
    #: Of the database; empty: that of the folder's own server.
    database: str = ""
    #: The command that has started the workers; empty: each was started by its own.
    command: str = field(default="", compare=False)

    @classmethod
    def of(cls, run_dir: Path) -> FollowedCrawl | None:
        """Return what a folder follows; None where it is a run of one process. A ValueError says that it cannot be read."""
        path = run_dir / DATABASE_FILE
        if not path.is_file():
            return None
        try:
            said = json.loads(read_regular(path, _MAX_MARK_BYTES))
            return cls(str(said["crawl"]), str(said["database"]), str(said.get("command", "")))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            raise ValueError(f"{path} cannot be read. Name the crawl in its database instead") from None

    def write(self, run_dir: Path) -> None:
        """Make a folder follow this crawl; a ValueError says that it follows another one."""
        run_dir.mkdir(parents=True, exist_ok=True)
        if (run_dir / RUN_FILE).exists() and FollowedCrawl.of(run_dir) != self:
            raise ValueError(f"{run_dir} is the folder of another crawl. Move it away")
        write_json(run_dir / DATABASE_FILE, asdict(self))


def local_run(named: str, runs_dir: Path) -> Path:
    """Return the run directory that an argument of a command names, up to date: of a crawl in a database, one that follows it.

    ``named``: a run directory, which is returned as it is unless it follows a crawl, or ``postgresql://.../DATABASE/CRAWL``,
    which gets the folder ``TOPIC/CRAWL`` of ``runs_dir``.

    Raises
    ------
    ValueError
        If the database cannot be used, or has no such crawl. One sentence.
    """
    if not is_database_url(named):
        if Path(named).is_dir() and FollowedCrawl.of(Path(named)) is not None:
            refresh(Path(named))
        return Path(named)
    url, name = split_crawl(named)
    with _crawl(check_url("The crawl", url), name) as run:
        folder = runs_dir / str(run.about["arguments"]["topic"]) / name
        FollowedCrawl(name, url).write(folder)
    refresh(folder)
    return folder


def local_runs(named: Sequence[str], settings: Mapping[str, Any] | None) -> list[Path]:
    """Return the run directories that arguments of a command name: `local_run`, with FOCUSED_RUNS_DIR of settings."""
    runs_dir = Path(RUNS_DIR.read(settings or {}) or RUNS_DIR.default)
    return [local_run(each, runs_dir) for each in named]


@contextmanager
def shared_frontier(named: str) -> Iterator[SharedFrontierView]:
    """Yield the frontier of a crawl in a database, by a run directory that follows it or as ``postgresql://.../DATABASE/CRAWL``.

    Errors as of `local_run`.
    """
    with ExitStack() as stack:
        if is_database_url(named):
            url, name = split_crawl(named)
            check_url("The crawl", url)
        else:
            mark = FollowedCrawl.of(Path(named))
            assert mark is not None
            url, name = stack.enter_context(database_of(Path(named), mark)), mark.crawl
        yield stack.enter_context(_crawl(url, name)).frontier()


def verdicts_sent(run_dir: Path) -> AbstractContextManager[None]:
    """Send what people say in a folder to the database that it follows, as they say it; nothing where it follows none.

    A folder with a server of its own has a process that does so while its workers crawl, and needs none afterwards.
    """
    mark = FollowedCrawl.of(run_dir)
    return nullcontext() if mark is None or not mark.database else sending(run_dir, mark.database, mark.crawl)


def refresh(run_dir: Path, *, may_finish: bool = True) -> SharedRun:
    """Bring a folder that follows a crawl up to date; return what the database says of the crawl.

    ``may_finish``: whether a crawl without a worker is over. Its pages are judged again then, which takes some seconds.
    """
    mark = FollowedCrawl.of(run_dir)
    if mark is None:
        raise ValueError(f"{run_dir} follows no crawl in a database. It has no {DATABASE_FILE}")
    with database_of(run_dir, mark) as url, _alone(run_dir), _crawl(url, mark.crawl) as run:
        n_new = _add_pages(run, run_dir)
        VerdictSender(run_dir).send(run)
        copy_versions(run, run_dir)
        known, is_over = FolderFigures.read(run_dir), may_finish and not run.totals().n_alive
        if known is None or n_new or (is_over and not known.is_final) or not (run_dir / FETCHED_FILE).exists():
            known = _write_files(run, run_dir, {} if known is None else known.stats, is_over=is_over)
        said = merged_run(run, known)
        said["command"] = mark.command or said["command"]
        if said["finish_reason"] != RUNNING:
            judged = figures_by_people(run_dir)
            said["judged"] = None if judged is None else judged.as_json()
        write_json(run_dir / RUN_FILE, said)
        return run


def judged_lines(run_dir: Path) -> list[str]:
    """Return what people's verdicts say of a folder's collection, for the end of a crawl; empty where nobody has judged."""
    judged = figures_by_people(run_dir)
    return [] if judged is None else list(figure_lines(judged.figures, judged.believed))


@contextmanager
def database_of(run_dir: Path, mark: FollowedCrawl) -> Iterator[str]:
    """Yield the URL of the database of a folder; its own server runs meanwhile."""
    server = nullcontext() if mark.database else EmbeddedServer(run_dir / FOLDER)
    with server as started:
        yield mark.database if started is None else started.url


@contextmanager
def _crawl(url: str, name: str) -> Iterator[SharedRun]:
    psycopg = import_psycopg(DATABASE.name)
    try:
        with SharedRun.opened(url, name) as run:
            yield run
    except psycopg.Error as error:
        raise ValueError(cannot_be_used(DATABASE.name, error)) from None
    except sqlite3.Error as error:
        raise ValueError(f"A file of the run directory cannot be used: {error}") from None


@contextmanager
def _alone(run_dir: Path) -> Iterator[None]:
    """Let one process at a time write into a folder."""
    with (run_dir / f"{DATABASE_FILE}.lock").open("ab") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _add_pages(run: SharedRun, run_dir: Path) -> int:
    """Add the pages that the folder lacks to its collection; return how many there were."""
    path = run_dir / COLLECTION_FILE
    store = CollectionStore(path, max_irrelevant=2**40)  # which texts are kept was decided when they were fetched
    try:
        store.describe("topic", str(run.about["arguments"]["topic"]))
        if not store.about("id"):
            store.describe("id", f"{run.name}-{run.number}-{run.began_at}")
        with closing(sqlite3.connect(path, isolation_level=None)) as sql:
            # Numbers of pages become visible in any order.
            sql.execute("CREATE TABLE IF NOT EXISTS followed (page INTEGER PRIMARY KEY)")
            known = {page for (page,) in sql.execute("SELECT page FROM followed")}
            new = [page for page in run.page_numbers() if page not in known]
            for page, row in zip(new, run.pages(new, tuple(name for name in COLUMNS if name != "number")), strict=True):
                store.add(_collected(row, len(known) + 1))
                sql.execute("INSERT INTO followed VALUES (?)", (page,))
                known.add(page)
    finally:
        store.close()
    return len(new)


def _collected(row: dict[str, Any], number: int) -> CollectedPage:
    terms = unpack_terms(bytes(row.pop("terms") or b""))
    headings = [(int(level), str(text)) for level, text in json.loads(row.pop("headings") or "[]")]
    return CollectedPage(number=number, terms=terms, headings=headings, **row)


def _write_files(run: SharedRun, run_dir: Path, stats: Mapping[str, int], *, is_over: bool) -> FolderFigures:
    """Write the files that are made of the pages; judge all again where the crawl is over.

    ``stats``: those of the last time.
    """
    from focused.crawl.shared_learning import SharedModel  # psycopg is an extra of the package

    model, numbers = SharedModel.of(run, run_dir), run.page_numbers()
    is_small = len(numbers) <= _MANY_PAGES
    labels = model.record() if model.is_against_met and (is_over or is_small) else None
    judged = model.finish(len(numbers), labels) if is_over else {}
    estimate = model.estimate()
    rows = run.pages(numbers, shared_rows.COLUMNS)
    counter, n_drawn = shared_rows.write_rows(rows, len(numbers), run_dir, estimate, model.harvests())
    found = {**_write_pages(run_dir), ROWS: len(numbers), **({DRAWN: n_drawn} if n_drawn else {})}
    return FolderFigures.of(counter, estimate, {**stats, **judged, **model.counts(), **found}, is_final=is_over)


def _write_pages(run_dir: Path) -> dict[str, int]:
    """Let ``pages.jsonl`` hold the pages that are delivered; return how many these are, and of how many people decide."""
    rows = VerdictRows(run_dir / COLLECTION_FILE)
    try:

        def record(url: str) -> dict[str, Any] | None:
            found = rows.row(url)
            if found is None:
                return None
            row = {name: found[name] for name in found.keys()}  # noqa: SIM118
            return asdict(PageItem.late(row)) | own_values(row)

        correct_pages(run_dir / PAGES_FILE, rows.delivered(), record)
        return {DELIVERED: rows.n_delivered(), BY_PEOPLE: rows.n_decided()}
    finally:
        rows.close()
