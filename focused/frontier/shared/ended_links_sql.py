"""Runs the last statement of a transaction of pages: ends links, numbers pages, updates counts of worker and hosts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared import page_statements as statements
from focused.frontier.shared.array_text import columns
from focused.frontier.shared.commit_result import KnownPageError, LeaseLostError
from focused.frontier.shared.keys import host_key
from focused.frontier.shared.link_rows import text
from focused.frontier.shared.schema import HAD_ENDED
from focused.frontier.store.schema import DONE

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from psycopg import Cursor

    from focused.frontier.shared.link_writing import LinkWriting
    from focused.frontier.shared.page import PageCommit

_NOT_ASKED = 0, 0, 0, None, 0.0
"""Of a host whose links were only found: pages, relevant pages, failures, rest, delay."""
_ENDED = tuple(f"ended_{each}" for each in statements.ENDED_COLUMNS)
_HOSTS = tuple(f"host_{each}" for each in statements.HOST_COLUMNS)


def end_links(
    sql: Cursor[Any], crawl: int, worker: int, pages: Sequence[PageCommit], links: LinkWriting, n_given_up: int
) -> dict[int, int]:
    """End links; return the numbers of the pages' rows, by the fingerprints of their links.

    Raises
    ------
    LeaseLostError, KnownPageError
        If the worker has ended, or a link had ended before. All of the statement is undone.
    """
    ended = links.ended
    _refuse_known(pages, {link.fingerprint for link in ended})
    rows = sorted(
        (*key, link.state, link.note, text(link.url), link.relevant, place)
        for place, (key, link) in enumerate(zip(links.ended_keys, ended, strict=True))
    )
    judged = [link.relevant for link in ended if link.relevant is not None]
    values = {
        "crawl": crawl,
        "worker": worker,
        "n_pages": len(judged),
        "n_relevant": sum(judged),
        "n_found": len(links.result.new),
        "n_ended": len(ended) + n_given_up,
        "n_to_end": len(ended),
        **_arrays(_ENDED, rows),
        **_arrays(_HOSTS, _host_rows(pages, links)),
    }
    try:
        made = sql.execute(statements.FINISH, values).fetchall()
    except psycopg.DatabaseError as error:
        if error.sqlstate != HAD_ENDED:
            raise
        _refuse_known(pages, set(map(int, (error.diag.message_primary or "").split())))
        raise
    if not made:
        raise LeaseLostError
    return {fingerprint: page for fingerprint, page, _ in made if page is not None}


def _refuse_known(pages: Iterable[PageCommit], waited: Container[int]) -> None:
    """Refuse the first page of whose ended links one did not wait, or ends twice."""
    seen = set()
    for index, page in enumerate(pages):
        for link in page.ended:
            if link.fingerprint not in waited or link.fingerprint in seen:
                raise KnownPageError(index)
            seen.add(link.fingerprint)


def _host_rows(pages: Sequence[PageCommit], links: LinkWriting) -> list[tuple[Any, ...]]:
    """Return what hosts have now: those with new links, and those that were asked, in the order of their keys."""
    asked: dict[str, list[float]] = {}
    for link in links.ended:
        counts = asked.setdefault(link.host, [0, 0, 0, 0.0, 0.0])
        counts[0] += link.relevant is not None
        counts[1] += bool(link.relevant)
        counts[2] += link.state != DONE
    for page in pages:
        for host, times in page.rests.items():
            if host in asked:
                asked[host][3:] = times
    best = links.best
    return sorted(
        (*host_key(host), text(host), best.get(host), *asked.get(host, _NOT_ASKED)) for host in {*best, *asked}
    )


def _arrays(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, str]:
    return dict(zip(names, columns(rows) if rows else ["{}"] * len(names), strict=True))
