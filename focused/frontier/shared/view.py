"""Reads a shared frontier, also while workers crawl, without changing it or making anybody wait."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.frontier.shared.keys import host_key
from focused.frontier.store.ranks import priority_of
from focused.frontier.store.schema import STATES, WAITING
from focused.frontier.store.view import FrontierView, LinkView, url_forms
from focused.utils.origins import host_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from psycopg import Connection

_LINK = (
    "SELECT links.url, hosts.name, state, rank, score, reason, referrer, depth, irrelevant_on_path, tunnel, n_referrers,"
    " model_version, coalesce(extract(epoch FROM links.ended_at), 0)::bigint, coalesce(note, '')"
    " FROM links JOIN hosts USING (crawl, domain, host) WHERE crawl = %(crawl)s"
)
_RECORDS = (
    "WITH latest AS (SELECT coalesce(max(version), 1) AS version, coalesce(max(floor), 0) AS floor FROM versions"
    " WHERE crawl = %(crawl)s AND accepted)"
    " SELECT record FROM records, latest WHERE crawl = %(crawl)s AND id > floor AND model_version = version ORDER BY id"
)
_ROWS_AT_A_TIME = 2_000


class SharedFrontierView(FrontierView):
    """The frontier of one crawl of a database, by an open connection; that a link is under way, only its worker knows."""

    def __init__(self, connection: Connection[Any], crawl: int, name: str, about: Mapping[str, Any]) -> None:
        self.path = Path(f"crawl {name} in its database")
        self._connection, self._crawl, self._about = connection, crawl, about
        # Made for a session that knows its statements; here any plan may be the best.
        for setting in ("enable_hashjoin", "enable_mergejoin", "enable_seqscan"):
            connection.execute(f"RESET {setting}")

    def __exit__(self, *exception: object) -> None:
        """Leave the connection open: it is not this view's."""

    def remembered(self, key: str) -> Any:
        """Return the topic or the web of the crawl; None of anything else."""
        return self._about["arguments"].get(key) if key in ("topic", "web") else None

    def counts(self) -> dict[str, int]:
        """Return how many links there are in each state."""
        found = dict(self._rows("SELECT state, count(*) FROM links WHERE crawl = %(crawl)s GROUP BY 1"))
        return {name: int(found.get(number, 0)) for number, name in enumerate(STATES)}

    def hosts(self, n_hosts: int) -> list[dict[str, Any]]:
        """Return the hosts with most links, with their links by state, pages and relevant pages."""
        by_state = ", ".join(f"count(*) FILTER (WHERE state = {number})" for number in range(len(STATES)))
        rows = self._rows(
            f"SELECT name, {by_state}, n_pages, n_relevant FROM links JOIN hosts USING (crawl, domain, host) "
            "WHERE crawl = %(crawl)s GROUP BY crawl, domain, host, name, n_pages, n_relevant ORDER BY count(*) DESC, name "
            "LIMIT %(most)s",
            most=n_hosts or None,
        )
        names = ("host", *STATES, "pages", "relevant")
        return [dict(zip(names, row, strict=True)) for row in rows]

    def ports(self, hosts: Sequence[str]) -> dict[str, list[str]]:
        """Return nothing: ports are not looked at here."""
        return {}

    def top(self, n_links: int) -> list[LinkView]:
        """Return the links that would be fetched next if all hosts could be asked now."""
        query = f"{_LINK} AND state = {WAITING} ORDER BY rank LIMIT %(most)s"
        return [_view(row) for row in self._rows(query, most=n_links or None)]

    def find(self, url: str) -> LinkView | None:
        """Return what is known of a URL; None if it is not known."""
        for form in url_forms(url):
            domain, host = host_key(host_of(form))
            query = f"{_LINK} AND domain = %(domain)s AND host = %(host)s AND links.url = %(url)s"
            for row in self._rows(query, domain=domain, host=host, url=form):
                return _view(row)
        return None

    def is_own_request(self, link: LinkView) -> bool:
        """Tell whether a link is a request of the spider's own, or for a sitemap or feed."""
        domain, host = host_key(link.host)
        query = (
            "SELECT 1 FROM links WHERE crawl = %(crawl)s AND domain = %(domain)s AND host = %(host)s AND url = %(url)s "
            "AND request IS NOT NULL"
        )
        return bool(self._rows(query, domain=domain, host=host, url=link.url))

    def n_asked(self, url: str, *, of_domain: bool = False) -> int:
        """Return how many pages of a URL's host, or of all hosts of its registered domain, were fetched or failed."""
        domain, host = host_key(host_of(url))
        of = "domain = %(domain)s" if of_domain else "domain = %(domain)s AND host = %(host)s"
        query = f"SELECT coalesce(sum(n_pages + n_failed), 0) FROM hosts WHERE crawl = %(crawl)s AND {of}"
        return int(self._rows(query, domain=domain, host=host)[0][0])

    def n_before(self, row: LinkView) -> tuple[int, int]:
        """Return how many waiting links come before one: in all, and of its host."""
        domain, host = host_key(row.host)
        query = (
            "SELECT count(*), count(*) FILTER (WHERE domain = %(domain)s AND host = %(host)s) FROM links "
            f"WHERE crawl = %(crawl)s AND state = {WAITING} AND rank < %(rank)s"
        )
        [(in_all, of_host)] = self._rows(query, domain=domain, host=host, rank=row.rank)
        return int(in_all), int(of_host)

    def records(self) -> Iterator[bytes]:
        """Yield what a strategy that learns has kept of each page; with each version of the model it keeps pages anew."""
        yield from (bytes(record) for (record,) in self._rows(_RECORDS))

    def rows(self) -> Iterator[LinkView]:
        """Yield every link, in the order of their keys."""
        with self._connection.transaction(), self._connection.cursor("links") as cursor:
            cursor.itersize = _ROWS_AT_A_TIME
            cursor.execute(f"{_LINK} ORDER BY domain, fingerprint", {"crawl": self._crawl})
            yield from map(_view, cursor)

    def _rows(self, query: str, **values: Any) -> list[Any]:
        return self._connection.execute(query, {"crawl": self._crawl, **values}).fetchall()


def _view(row: Sequence[Any]) -> LinkView:
    url, host, state, rank, score, reason, referrer, depth, irrelevant, tunnel, n_referrers, version, ended_at, note = (
        row
    )
    return LinkView(
        *(url, host, STATES[state], rank, priority_of(rank), score, reason, referrer, depth, irrelevant, tunnel),
        *(n_referrers, version, 0, ended_at or None, note),
    )
