"""The statements of the transaction of pages, in the order in which they are run.

Those about links name the partition: crawl and domain stand in their conditions.
"""

from __future__ import annotations

from focused.frontier.shared.link_rows import (
    CHANGED,
    CHANGED_TYPES,
    EVIDENCE,
    INSERTED,
    INSERTED_TYPES,
    KNOWN_COLUMNS,
    unnested,
    unnested_of_crawl,
)
from focused.frontier.store.schema import DROPPED, FAILED, RANK_BITS, WAITING

TURN = (1 << RANK_BITS) - 1
# "+ 0" keeps the planner from the index of waiting links where the key names the row.
COUNT = """
UPDATE workers SET n_pages = n_pages + %s, n_relevant = n_relevant + %s, n_ended = n_ended + %s
WHERE id = %s AND ended_at IS NULL
"""
INSERT = (
    f"INSERT INTO links (crawl, {', '.join(INSERTED)}) "
    f"SELECT %s, {', '.join('parts::float8[]' if each == 'parts' else each for each in INSERTED)} "
    f"FROM {unnested(INSERTED, INSERTED_TYPES)} ON CONFLICT DO NOTHING RETURNING fingerprint"
)
_KNOWN = (
    "SELECT links.* "
    f"FROM {unnested(('domain', 'fingerprint'), ('int8', 'int8'))} CROSS JOIN LATERAL ("
    f"SELECT {', '.join(KNOWN_COLUMNS)} FROM links "
    "WHERE crawl = %s AND domain = given.domain AND fingerprint = given.fingerprint "
    f"AND state + 0 = {WAITING}{{}}) AS links"
)
# Where a table has no statistics yet, the planner reads all links of a crawl for a join; here OFFSET and FOR UPDATE forbid it.
READ = _KNOWN.format(" OFFSET 0")
# In the order of the keys as they are given. PostgreSQL 18 locks a row that it has waited for, but may leave it out of what it
# returns: it looks for the changed row in the partition of the last key. So those that are missing are read once more.
LOCK = _KNOWN.format(" FOR UPDATE")
_IS_GIVEN = "links.crawl = given.crawl AND links.domain = given.domain AND links.fingerprint = given.fingerprint"
CHANGE = (
    "UPDATE links SET rank = given.rank, extra = given.extra, tunnel = given.tunnel, "
    + ", ".join(f"{name} = given.{name}{'::float8[]' if name == 'parts' else ''}" for name in EVIDENCE)
    + f" FROM {unnested_of_crawl(CHANGED, CHANGED_TYPES)} WHERE {_IS_GIVEN}"
)
TAKE_OVER = """
UPDATE links SET rank = %s, extra = %s, request = %s WHERE crawl = %s AND domain = %s AND fingerprint = %s
"""
# What had ended before is left out, and leaves no page. Pages are numbered in the order in which they are given.
END = (
    "UPDATE links SET state = given.state, note = given.note, ended_at = now() "
    f"FROM {unnested_of_crawl(('domain', 'fingerprint', 'state', 'note'), ('int8', 'int8', 'int2', 'text'))} "
    f"WHERE {_IS_GIVEN} AND links.state + 0 = {WAITING} RETURNING links.domain, links.fingerprint, NULL::int8"
)
_PAGE = ("domain", "fingerprint", "url", "relevant")
END_WITH_PAGES = (
    f"WITH ended AS ({END}), made AS (INSERT INTO pages (crawl, worker, {', '.join(_PAGE)}) "
    f"SELECT %s, %s, {', '.join(f'given.{each}' for each in _PAGE)} "
    "FROM unnest(%s::int8[], %s::int8[], %s::text[], %s::bool[]) WITH ORDINALITY "
    f"AS given ({', '.join(_PAGE)}, place) JOIN ended USING (domain, fingerprint) ORDER BY given.place "
    "RETURNING fingerprint, id) SELECT ended.domain, ended.fingerprint, made.id FROM ended LEFT JOIN made USING (fingerprint)"
)
_MOVED = ("domain", "fingerprint", "score", "admitted", "priority")
MOVE = (
    f"UPDATE links SET score = given.score, admitted = given.admitted, "
    f"rank = ((-(given.priority + links.extra))::int8 << {RANK_BITS}) | (links.rank & {TURN}) "
    f"FROM {unnested_of_crawl(_MOVED, ('int8', 'int8', 'float8', 'bool', 'int8'))} "
    f"WHERE {_IS_GIVEN} AND links.state + 0 = {WAITING} AND links.request IS NULL RETURNING links.fingerprint, links.rank"
)
FAIL = f"""
UPDATE links SET state = {FAILED}, note = %s, ended_at = now()
WHERE crawl = %s AND domain = %s AND host = %s AND state = {WAITING} AND fingerprint <> ALL(%s::int8[])
    AND substr(url, 1, %s) = %s
"""
DROP = f"""
UPDATE links SET state = {DROPPED}, note = %s, ended_at = now()
WHERE crawl = %s AND domain = %s AND host = %s AND state = {WAITING} AND fingerprint <> ALL(%s::int8[])
"""
# Of hosts that were not asked, ``rest`` is NULL; those that were are known, and count if they are still the worker's.
HOST_COLUMNS = ("domain", "host", "name", "best", "n_pages", "n_relevant", "n_failed", "rest", "delay")
_IS_ASKED = "hosts.owner IS NOT DISTINCT FROM %(worker)s AND excluded.next_at > '-infinity'"
_COUNTS = ", ".join(
    f"{name} = hosts.{name} + CASE WHEN {_IS_ASKED} THEN excluded.{name} ELSE 0 END"
    for name in ("n_pages", "n_relevant", "n_failed")
)
HOSTS = (
    "INSERT INTO hosts (crawl, domain, host, name, best, n_pages, n_relevant, n_failed, next_at, delay) "
    "SELECT %(crawl)s, domain, host, name, best, n_pages, n_relevant, n_failed, "
    "coalesce(clock_timestamp() + make_interval(secs => rest), '-infinity'), delay FROM unnest(%(domain)s::int8[], "
    "%(host)s::int8[], %(name)s::text[], %(best)s::int8[], %(n_pages)s::int4[], %(n_relevant)s::int4[], "
    "%(n_failed)s::int4[], %(rest)s::float8[], %(delay)s::float4[]) "
    f"AS given ({', '.join(HOST_COLUMNS)}) "
    "ON CONFLICT (crawl, domain, host) DO UPDATE SET best = least(hosts.best, excluded.best), "
    f"news = hosts.news + (hosts.owner IS DISTINCT FROM %(worker)s)::int, {_COUNTS}, "
    f"delay = CASE WHEN {_IS_ASKED} THEN excluded.delay ELSE hosts.delay END, "
    f"next_at = CASE WHEN {_IS_ASKED} THEN greatest(hosts.next_at, excluded.next_at) ELSE hosts.next_at END "
    # Most links are no better than what waits of their host: it is locked, so that who takes it next sees them, and stays.
    f"WHERE hosts.owner <> %(worker)s OR hosts.best IS NULL OR excluded.best < hosts.best OR {_IS_ASKED}"
)
RECORD = "INSERT INTO records (crawl, worker, n_links, model_version, record) VALUES (%s, %s, %s, %s, %s)"
FOUND = "UPDATE workers SET n_found = n_found + %(n_found)s, n_ended = n_ended + %(n_given_up)s WHERE id = %(worker)s"
HOSTS_AND_FOUND = f"WITH counted AS ({FOUND}) {HOSTS}"
