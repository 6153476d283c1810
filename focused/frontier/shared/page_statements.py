"""The statements of the transaction of pages, in the order in which they are run; but records come last.

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
RECORD = "INSERT INTO records (crawl, worker, n_links, model_version, record) VALUES (%s, %s, %s, %s, %s)"
# The last statement of a transaction: the worker is counted, links end, their pages are made, hosts are noted. It is one,
# because of some pages that only end a statement costs as much as what it does. Each part waits for what it reads of the one
# before, so rows are locked in this order. A worker that has ended changes nothing, and gets no row.
_COUNTED = """
UPDATE workers SET n_pages = n_pages + %(n_pages)s, n_relevant = n_relevant + %(n_relevant)s, n_found = n_found + %(n_found)s,
    n_ended = n_ended + %(n_ended)s
WHERE id = %(worker)s AND ended_at IS NULL RETURNING id
"""
# OFFSET: see `unnested_of_crawl`. What had ended before is left out.
ENDED_COLUMNS = ("domain", "fingerprint", "state", "note", "url", "relevant", "place")
_ENDED = f"""
UPDATE links SET state = given.state, note = given.note, ended_at = now()
FROM (
    SELECT %(crawl)s::int4 AS crawl, given.* FROM counted CROSS JOIN unnest(%(ended_domain)s::int8[],
        %(ended_fingerprint)s::int8[], %(ended_state)s::int2[], %(ended_note)s::text[], %(ended_url)s::text[],
        %(ended_relevant)s::bool[], %(ended_place)s::int4[]) AS given ({", ".join(ENDED_COLUMNS)}) OFFSET 0
) AS given
WHERE {_IS_GIVEN} AND links.state + 0 = {WAITING}
RETURNING links.domain, links.fingerprint, given.url, given.relevant, given.place
"""
# Where there was no page, ``relevant`` is NULL. Pages are numbered in the order of their places.
_MADE = """
INSERT INTO pages (crawl, worker, domain, fingerprint, url, relevant)
SELECT %(crawl)s, %(worker)s, domain, fingerprint, url, relevant FROM ended WHERE relevant IS NOT NULL ORDER BY place
RETURNING fingerprint, id
"""
# Of hosts that were not asked, ``rest`` is NULL; those that were are known, and count if they are still the worker's.
HOST_COLUMNS = ("domain", "host", "name", "best", "n_pages", "n_relevant", "n_failed", "rest", "delay")
_IS_ASKED = "hosts.owner IS NOT DISTINCT FROM %(worker)s AND excluded.next_at > '-infinity'"
_COUNTS = ", ".join(
    f"{name} = hosts.{name} + CASE WHEN {_IS_ASKED} THEN excluded.{name} ELSE 0 END"
    for name in ("n_pages", "n_relevant", "n_failed")
)
# Most links are no better than what waits of their host: it is locked, so that who takes it next sees them, and stays.
_HOSTS = f"""
INSERT INTO hosts (crawl, domain, host, name, best, n_pages, n_relevant, n_failed, next_at, delay)
SELECT %(crawl)s, domain, host, name, best, n_pages, n_relevant, n_failed,
    coalesce(clock_timestamp() + make_interval(secs => rest), '-infinity'), delay
FROM unnest(%(host_domain)s::int8[], %(host_host)s::int8[], %(host_name)s::text[], %(host_best)s::int8[],
    %(host_n_pages)s::int4[], %(host_n_relevant)s::int4[], %(host_n_failed)s::int4[], %(host_rest)s::float8[],
    %(host_delay)s::float4[]) AS given ({", ".join(HOST_COLUMNS)})
WHERE EXISTS (SELECT FROM counted) AND (SELECT count(*) FROM ended) >= 0
ON CONFLICT (crawl, domain, host) DO UPDATE SET best = least(hosts.best, excluded.best),
    news = hosts.news + (hosts.owner IS DISTINCT FROM %(worker)s)::int, {_COUNTS},
    delay = CASE WHEN {_IS_ASKED} THEN excluded.delay ELSE hosts.delay END,
    next_at = CASE WHEN {_IS_ASKED} THEN greatest(hosts.next_at, excluded.next_at) ELSE hosts.next_at END
WHERE hosts.owner <> %(worker)s OR hosts.best IS NULL OR excluded.best < hosts.best OR {_IS_ASKED}
"""
# A link that had ended before undoes all of it: the server does that, so that this statement can be a transaction by itself.
FINISH = f"""
WITH counted AS ({_COUNTED}), ended AS ({_ENDED}), made AS ({_MADE}), noted AS ({_HOSTS})
SELECT made.fingerprint, made.id,
    CASE WHEN (SELECT count(*) FROM ended) < %(n_to_end)s THEN refuse_all_but(ARRAY(SELECT fingerprint FROM ended)) END
FROM counted LEFT JOIN made ON true
"""
