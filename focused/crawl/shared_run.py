"""Reads the figures of a whole shared crawl from its database, for progress lines, summaries and ``run.json``."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.crawl.arguments import PlanError
from focused.utils.file_names import RUNNING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from focused.crawl.shared_figures import FolderFigures
    from focused.frontier.shared.view import SharedFrontierView


@dataclass(slots=True)
class SharedTotals:
    """Where a crawl stands."""

    n_pages: int
    n_relevant: int
    n_waiting: int
    #: How many workers are at work now, and how many there were in all.
    n_alive: int
    n_workers: int
    #: Hosts with links that wait.
    n_hosts: int
    #: Why the crawl ended; None: it goes on, or no worker has said why.
    reason: str | None


@dataclass(slots=True)
class SharedRun:
    """A crawl in a database, with the connection to it."""

    connection: Any
    name: str
    number: int
    about: dict[str, Any]
    #: ISO 8601 in UTC.
    began_at: str

    @classmethod
    @contextmanager
    def opened(cls, url: str, name: str) -> Iterator[SharedRun]:
        """Connect to a crawl; a ValueError says that there is none of that name, a `psycopg.Error` that there is no server."""
        from focused.frontier.shared.crawls import crawl_names, find_crawl  # psycopg is an extra of the package
        from focused.frontier.shared.schema import connect, make_tables

        with connect(url) as connection:
            make_tables(connection)
            known = find_crawl(connection, name)
            if known is None:
                names = ", ".join(crawl_names(connection)[:20]) or "none"
                raise PlanError(f"There is no crawl {name!r} in the database. Crawls there: {names}.")
            [(began_at,)] = connection.execute(
                """SELECT to_char(began_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') FROM crawls WHERE id = %s""",
                (known.id,),
            )
            yield cls(connection, name, known.id, known.about, str(began_at))

    def page_numbers(self) -> list[int]:
        """Return the numbers of all pages, ascending."""
        from focused.frontier.shared.outputs import page_numbers

        return page_numbers(self.connection, self.number)

    def pages(self, numbers: Sequence[int], columns: Sequence[str]) -> Iterator[dict[str, Any]]:
        """Yield pages by their numbers, in their order."""
        from focused.frontier.shared.outputs import pages

        yield from pages(self.connection, self.number, numbers, columns)

    def runs(self) -> list[dict[str, Any]]:
        """Return what workers said of themselves."""
        from focused.frontier.shared.outputs import runs_of

        return runs_of(self.connection, self.number)

    def frontier(self) -> SharedFrontierView:
        """Return the crawl's links, to look at."""
        from focused.frontier.shared.view import SharedFrontierView

        return SharedFrontierView(self.connection, self.number, self.name, self.about)

    def alive(self) -> list[str]:
        """Return the workers at work now, each as ``HOST:PROCESS``."""
        found = self.connection.execute(
            "SELECT name FROM workers WHERE crawl = %s AND ended_at IS NULL AND alive_until > clock_timestamp() ORDER BY id",
            (self.number,),
        )
        return [str(name) for (name,) in found]

    def end_leases(self, workers: Sequence[str]) -> None:
        """End the leases of workers that are known to be dead now, each as ``HOST:PROCESS``."""
        self.connection.execute(
            "UPDATE workers SET alive_until = least(alive_until, clock_timestamp()) "
            "WHERE crawl = %s AND name = ANY(%s) AND ended_at IS NULL",
            (self.number, list(workers)),
        )

    def failing_hosts(self) -> list[str]:
        """Return the hosts that did not answer last and have links that wait, each with why."""
        return [f"{host} ({why})" for host, why in self.failing_origins()]

    def failing_origins(self) -> list[tuple[str, str]]:
        """Return these hosts, and why."""
        found = self.connection.execute(
            "SELECT origin, why FROM troubles JOIN hosts USING (crawl, domain, host) "
            "WHERE crawl = %s AND n_failures > 0 AND best IS NOT NULL ORDER BY origin",
            (self.number,),
        )
        return [(str(origin).partition("://")[2], str(why)) for origin, why in found]

    def totals(self) -> SharedTotals:
        """Return where the crawl stands now."""
        row = self.connection.execute(
            """SELECT coalesce(sum(n_pages), 0), coalesce(sum(n_relevant), 0), coalesce(sum(n_found - n_ended), 0),
                   count(*) FILTER (WHERE ended_at IS NULL AND alive_until > clock_timestamp()), count(*),
                   (SELECT count(*) FROM hosts WHERE crawl = %(crawl)s AND best IS NOT NULL),
                   (SELECT reason FROM crawls WHERE id = %(crawl)s)
               FROM workers WHERE crawl = %(crawl)s""",
            {"crawl": self.number},
        ).fetchone()
        pages, relevant, waiting, alive, workers, hosts = map(int, row[:6])
        return SharedTotals(pages, relevant, max(0, waiting), alive, workers, hosts, row[6])


_VERSION = "focused/retraining/version"
"""The only number in the stats that is no count. It is the same for all workers, and is not summed up."""
_LAST = ("settings", "versions", "parts", "scope", "topic_title", "random_seed", "preset")


def merged_run(run: SharedRun, figures: FolderFigures) -> dict[str, Any]:
    """Return ``run.json`` of a whole crawl: what it was asked for, how it stands, and the workers' stats summed up.

    ``figures``: what the folder that gets this file has computed. Stats that are no counts are left out: each worker has its
    own. Killed workers are missing: a worker leaves its stats when it ends.
    """
    totals, runs, agreed = run.totals(), run.runs(), run.about["arguments"]
    stats: dict[str, Any] = {}
    for each in runs:
        for name, value in each.get("stats", {}).items():
            if isinstance(value, int) and not isinstance(value, bool):
                known = stats.get(name, 0)
                stats[name] = max(known, value) if name == _VERSION else known + value
    stats |= (
        figures.stats
        | figures.estimated
        | {
            "focused/pages/fetched_count": figures.n_pages,
            "focused/pages/relevant_count": figures.n_relevant,
            "focused/harvest_rate": figures.n_relevant / figures.n_pages if figures.n_pages else 0.0,
        }
    )
    first = runs[0] if runs else {}
    return {
        "command": first.get("command", ""),
        "crawl": run.name,
        "workers": totals.n_workers,
        "topic": agreed["topic"],
        **{name: first[name] for name in _LAST if name in first},
        "strategy": agreed["strategy"],
        "web": agreed["web"],
        "seeds": run.about["seeds"],
        **{name: _number(agreed[name]) for name in ("max_pages", "max_relevant", "max_minutes")},
        "model_sha256": run.about["model_sha256"],
        "started_at": run.began_at,
        "finish_reason": RUNNING if totals.n_alive else totals.reason or _reason(runs),
        "finished_at": "" if totals.n_alive else max((str(each.get("finished_at", "")) for each in runs), default=""),
        "harvest": figures.harvest,
        "is_final": figures.is_final,
        "stats": stats,
    }


def _reason(runs: Sequence[dict[str, Any]]) -> str:
    """Return why the worker that ended last has ended; ``killed`` if none has said why."""
    said = [(str(each.get("finished_at", "")), str(each.get("finish_reason", ""))) for each in runs]
    return max(said, default=("", ""))[1] or "killed"


def _number(text: str) -> float:
    return int(text) if text.isdigit() else float(text)


def save_run(url: str, crawl: str, name: str, run: dict[str, Any]) -> None:
    """Keep what a worker says of itself in the database of its crawl; errors as of `SharedRun.opened`."""
    from focused.frontier.shared.outputs import save_run as save

    with SharedRun.opened(url, crawl) as shared:
        save(shared.connection, shared.number, name, run)
