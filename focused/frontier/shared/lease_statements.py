"""The statements of the keeper: who is a worker, whose hosts are whose, and how much of the budget is granted.

All times are the database's.
"""

from __future__ import annotations

from focused.frontier.shared.link_rows import WAITING_COLUMNS, unnested
from focused.frontier.shared.worker_terms import LEASE_SECS, PATIENCE_SECS
from focused.frontier.store.schema import WAITING

JOIN = """
INSERT INTO workers (crawl, name, alive_until) VALUES (%s, %s, clock_timestamp() + make_interval(secs => %s)) RETURNING id
"""
RENEW = """
UPDATE workers SET alive_until = clock_timestamp() + make_interval(secs => %s), is_busy = %s, n_hosts = %s, best = %s,
    reckoning = coalesce(%s, reckoning)
WHERE id = %s AND ended_at IS NULL
"""
GRACE_SECS = 5.0
"""How long workers have to renew their leases after the database was away: else whoever is there first would end all others,
and what these have fetched meanwhile would be fetched again."""
# Leases that have ended while the server was down, or not long before, are to be renewed.
OVERDUE = f"""
SELECT id FROM workers WHERE crawl = %s AND ended_at IS NULL AND alive_until < clock_timestamp()
    AND (clock_timestamp() > pg_postmaster_start_time() + interval '{GRACE_SECS} seconds'
        OR alive_until < pg_postmaster_start_time() - interval '{PATIENCE_SECS + LEASE_SECS} seconds')
FOR UPDATE SKIP LOCKED
"""
RELEASE_ALL = """
UPDATE hosts SET owner = NULL, next_at = greatest(hosts.next_at, {} + make_interval(secs => hosts.delay))
FROM workers WHERE hosts.crawl = workers.crawl AND hosts.owner = workers.id AND workers.id = %s
"""
# The next owner cannot know when a dead worker's host was asked last; not after the lease.
RELEASE_OF_DEAD = RELEASE_ALL.format("workers.alive_until")
# One that says good-bye asks for nothing any more.
RELEASE_AT_ONCE = RELEASE_ALL.format("clock_timestamp()")
END = "UPDATE workers SET ended_at = clock_timestamp(), is_busy = false, n_hosts = 0 WHERE id = %s AND ended_at IS NULL"
IS_ALIVE = "SELECT 1 FROM workers WHERE id = %s AND ended_at IS NULL FOR SHARE"
TAKE_IF = """
WITH free AS (
    SELECT crawl, domain, host FROM hosts
    WHERE crawl = %(crawl)s AND owner IS NULL AND best IS NOT NULL
        AND next_at <= clock_timestamp() + make_interval(secs => %(soon)s){}
    ORDER BY best LIMIT %(most)s FOR UPDATE OF hosts SKIP LOCKED
)
UPDATE hosts SET owner = %(worker)s FROM free
WHERE hosts.crawl = free.crawl AND hosts.domain = free.domain AND hosts.host = free.host
RETURNING hosts.name, hosts.best,
    CASE WHEN isfinite(hosts.next_at) THEN extract(epoch FROM hosts.next_at - clock_timestamp()) END, hosts.delay,
    hosts.n_pages + hosts.n_failed, hosts.news, {}
"""
TAKE = TAKE_IF.format("", "0")
# Other workers' counts of a domain are not known: so all of its hosts that anybody owns are one worker's.
TAKE_OF_DOMAINS = TAKE_IF.format(
    """
        AND NOT EXISTS (SELECT 1 FROM hosts AS other WHERE other.crawl = hosts.crawl AND other.domain = hosts.domain
            AND other.owner <> %(worker)s)""",
    """(SELECT sum(other.n_pages + other.n_failed)::int8 FROM hosts AS other
        WHERE other.crawl = hosts.crawl AND other.domain = hosts.domain)""",
)
# What is locked for nothing is locked by every worker ten times a second.
IS_ANY_FREE = """
SELECT 1 FROM hosts
WHERE crawl = %s AND owner IS NULL AND best IS NOT NULL AND next_at <= clock_timestamp() + make_interval(secs => %s) LIMIT 1
"""
COLUMNS = ", ".join(f"waiting.{each}" for each in WAITING_COLUMNS)
# A link is known if its mark, both its numbers in one, is: the array is in order, and the place of a number in it is quickly
# found.
_MARK = "links.fingerprint # links.rank"
_WANTED = unnested(("domain", "host", "most", "horizon", "known"), (*["int8"] * 4, "text"))
AHEAD = (
    f"SELECT {COLUMNS} FROM (SELECT domain, host, most, horizon, known::int8[] AS known FROM {_WANTED} OFFSET 0) AS given "
    "CROSS JOIN LATERAL "
    "(SELECT * FROM links WHERE links.crawl = %s AND links.domain = given.domain AND links.host = given.host "
    f"AND links.state = {WAITING} AND links.rank < given.horizon "
    f"AND given.known[width_bucket({_MARK}, given.known)] IS DISTINCT FROM {_MARK} "
    "ORDER BY links.rank LIMIT given.most) AS waiting"
)
LOCK = (
    f"SELECT hosts.domain, hosts.host FROM {unnested(('domain', 'host'), ('int8', 'int8'))} "
    "JOIN hosts ON hosts.crawl = %s AND hosts.domain = given.domain AND hosts.host = given.host "
    "WHERE hosts.owner IS NOT DISTINCT FROM %s ORDER BY hosts.domain, hosts.host FOR UPDATE OF hosts"
)
BEST = (
    "(SELECT links.rank FROM links WHERE links.crawl = hosts.crawl AND links.domain = hosts.domain "
    f"AND links.host = hosts.host AND links.state = {WAITING} ORDER BY links.rank LIMIT 1)"
)
GIVE_BACK = (
    f"UPDATE hosts SET owner = NULL, best = {BEST}, delay = given.delay, "
    "next_at = greatest(hosts.next_at, clock_timestamp() + make_interval(secs => given.rest)) "
    f"FROM {unnested(('domain', 'host', 'rest', 'delay'), ('int8', 'int8', 'float8', 'float4'))} "
    "WHERE hosts.crawl = %s AND hosts.domain = given.domain AND hosts.host = given.host "
    "AND hosts.owner IS NOT DISTINCT FROM %s"
)
# All that a worker looks at, as one statement: asked one by one, each costs as much as all. Totals of the crawl; the best
# ranks of free hosts, and of other workers, but not of those that may be dead; the worker's hosts; its part of the budget.
STATE = """
SELECT totals.*,
    ARRAY(SELECT best FROM hosts WHERE crawl = %(crawl)s AND owner IS NULL AND best IS NOT NULL
        AND next_at <= clock_timestamp() ORDER BY best LIMIT %(most)s),
    ARRAY(SELECT best FROM workers WHERE crawl = %(crawl)s AND ended_at IS NULL AND id <> %(worker)s
        AND alive_until > clock_timestamp() + make_interval(secs => %(secs)s)),
    own.*, mine.granted, mine.n_pages
FROM (
    SELECT coalesce(sum(n_pages), 0)::int8, coalesce(sum(n_relevant), 0)::int8, coalesce(sum(n_found - n_ended), 0)::int8,
        count(*) FILTER (WHERE ended_at IS NULL), coalesce(bool_or(is_busy AND ended_at IS NULL), false),
        coalesce(sum(n_hosts) FILTER (WHERE ended_at IS NULL), 0)::int8,
        (SELECT coalesce(max(version), 1) FROM versions WHERE versions.crawl = %(crawl)s AND accepted),
        coalesce(min(workers.id) FILTER (WHERE ended_at IS NULL AND alive_until > clock_timestamp()), 0),
        (SELECT reason FROM crawls WHERE id = %(crawl)s),
        coalesce(bool_or(workers.id < first.id AND ended_at > first.began_at), false),
        (SELECT coalesce(max((attempt->>'n_pages')::int8), 0) FROM versions WHERE versions.crawl = %(crawl)s),
        coalesce(sum(CASE WHEN ended_at IS NULL THEN workers.granted ELSE n_pages END), 0)::int8,
        count(*) FILTER (WHERE ended_at IS NULL AND workers.granted > n_pages)
    FROM workers LEFT JOIN (
        SELECT id, began_at FROM workers
        WHERE crawl = %(crawl)s AND ended_at IS NULL AND alive_until > clock_timestamp() ORDER BY id LIMIT 1
    ) AS first ON true WHERE crawl = %(crawl)s
) AS totals
CROSS JOIN (
    SELECT coalesce(array_agg(name), '{}'), coalesce(array_agg(news), '{}')
    FROM hosts WHERE crawl = %(crawl)s AND owner = %(worker)s
) AS own
LEFT JOIN workers AS mine ON mine.id = %(worker)s
"""
# What those that have ended would have asked for counts, too.
OTHER_DEMAND = """
SELECT coalesce(sum(reckoning[1]), 0)::float8,
    coalesce(jsonb_agg(reckoning) FILTER (WHERE ended_at IS NULL AND alive_until > clock_timestamp()), '[]')
FROM workers WHERE crawl = %s AND reckoning IS NOT NULL AND id <> ALL(%s::int4[])
"""
# One snapshot. An owner gives a host back when nothing of it waits.
IS_OVER = """
SELECT NOT EXISTS (SELECT 1 FROM workers WHERE crawl = %s AND ended_at IS NULL AND is_busy)
    AND NOT EXISTS (SELECT 1 FROM hosts WHERE crawl = %s AND owner IS NULL AND best IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM hosts WHERE crawl = %s AND owner IS NOT NULL)
"""
LOCK_CRAWL = "SELECT id FROM crawls WHERE id = %s FOR UPDATE"
GRANTED = """
SELECT coalesce(sum(CASE WHEN ended_at IS NULL THEN granted ELSE n_pages END), 0)::int8 FROM workers WHERE crawl = %s
"""
GRANT = "UPDATE workers SET granted = granted + %s WHERE id = %s AND ended_at IS NULL RETURNING granted"
RETURN = "UPDATE workers SET granted = n_pages WHERE id = %s AND ended_at IS NULL RETURNING granted"

TAKING = 0x666F6376
"""Advisory lock, together with the crawl's number, of the worker that takes hosts where domains are counted."""
# While two workers were alive, time has passed once.
SPENT = """
SELECT coalesce(sum(extract(epoch FROM upper(part) - lower(part))), 0)::float8 FROM unnest((
    SELECT range_agg(tstzrange(began_at, greatest(began_at, coalesce(ended_at, least(alive_until, clock_timestamp())))))
    FROM workers WHERE crawl = %s
)) AS part
"""
ANALYZING = 0x666F6375
"""Advisory lock, together with the crawl's number, of the worker that lets the server count its rows."""
