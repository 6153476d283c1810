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
)
from focused.frontier.store.schema import DROPPED, FAILED, RANK_BITS, WAITING

TURN = (1 << RANK_BITS) - 1
# "+ 0" keeps the planner from the indexes of waiting links and of owned hosts where the key names the row.
COUNT = """
UPDATE workers SET n_pages = n_pages + %s, n_relevant = n_relevant + %s WHERE id = %s AND ended_at IS NULL
"""
INSERT = (
    f"INSERT INTO links (crawl, {', '.join(INSERTED)}) "
    f"SELECT %s, {', '.join('parts::float8[]' if each == 'parts' else each for each in INSERTED)} "
    f"FROM {unnested(INSERTED, INSERTED_TYPES)} ON CONFLICT DO NOTHING RETURNING fingerprint"
)
READ = (
    f"SELECT {', '.join(f'links.{each}' for each in KNOWN_COLUMNS)} "
    f"FROM {unnested(('domain', 'fingerprint'), ('int8', 'int8'))} "
    "JOIN links ON links.crawl = %s AND links.domain = given.domain AND links.fingerprint = given.fingerprint "
    f"WHERE links.state + 0 = {WAITING}"
)
# PostgreSQL 18 locks a row that it has waited for, but may leave it out of what it returns: it looks for the changed row in
# the partition of the last key. So those that are missing are read once more.
LOCK = f"{READ} ORDER BY links.domain, links.fingerprint FOR UPDATE OF links"
CHANGE = (
    "UPDATE links SET rank = given.rank, extra = given.extra, tunnel = given.tunnel, "
    + ", ".join(f"{name} = given.{name}{'::float8[]' if name == 'parts' else ''}" for name in EVIDENCE)
    + f" FROM {unnested(CHANGED, CHANGED_TYPES)} "
    "WHERE links.crawl = %s AND links.domain = given.domain AND links.fingerprint = given.fingerprint"
)
TAKE_OVER = """
UPDATE links SET rank = %s, extra = %s, request = %s WHERE crawl = %s AND domain = %s AND fingerprint = %s
"""
END = (
    "UPDATE links SET state = given.state, note = given.note, ended_at = now() "
    f"FROM {unnested(('domain', 'fingerprint', 'state', 'note'), ('int8', 'int8', 'int2', 'text'))} "
    "WHERE links.crawl = %s AND links.domain = given.domain AND links.fingerprint = given.fingerprint"
)
MOVE = (
    f"UPDATE links SET score = given.score, admitted = true, "
    f"rank = ((-(given.priority + links.extra))::int8 << {RANK_BITS}) | (links.rank & {TURN}) "
    f"FROM {unnested(('domain', 'fingerprint', 'score', 'priority'), ('int8', 'int8', 'float8', 'int8'))} "
    "WHERE links.crawl = %s AND links.domain = given.domain AND links.fingerprint = given.fingerprint "
    f"AND links.state + 0 = {WAITING} AND links.request IS NULL RETURNING links.fingerprint, links.rank"
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
HOSTS = (
    "INSERT INTO hosts (crawl, domain, host, name, best) SELECT %s, domain, host, name, best "
    f"FROM {unnested(('domain', 'host', 'name', 'best'), ('int8', 'int8', 'text', 'int8'))} "
    "ON CONFLICT (crawl, domain, host) DO UPDATE SET best = least(hosts.best, excluded.best), "
    "news = hosts.news + (hosts.owner IS DISTINCT FROM %s)::int"
)
ASKED_COLUMNS = ("domain", "host", "n_pages", "n_relevant", "n_failed", "rest", "delay")
ASKED = (
    "UPDATE hosts SET n_pages = hosts.n_pages + given.n_pages, n_relevant = hosts.n_relevant + given.n_relevant, "
    "n_failed = hosts.n_failed + given.n_failed, delay = given.delay, "
    "next_at = greatest(hosts.next_at, clock_timestamp() + make_interval(secs => given.rest)) "
    f"FROM {unnested(ASKED_COLUMNS, ('int8', 'int8', 'int4', 'int4', 'int4', 'float8', 'float4'))} "
    "WHERE hosts.crawl = %s AND hosts.domain = given.domain AND hosts.host = given.host AND hosts.owner + 0 = %s"
)
PAGE = (
    "INSERT INTO pages (crawl, worker, domain, fingerprint, url, relevant) SELECT %s, %s, given.* "
    f"FROM {unnested(('domain', 'fingerprint', 'url', 'relevant'), ('int8', 'int8', 'text', 'bool'))} "
    "RETURNING fingerprint, id"
)
RECORD = "INSERT INTO records (crawl, worker, n_links, model_version, record) VALUES (%s, %s, %s, %s, %s)"
ENDED = "UPDATE workers SET n_found = n_found + %s, n_ended = n_ended + %s WHERE id = %s"
