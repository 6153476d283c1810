"""Makes the shared frontier's tables, and brings those of an older version up to date.

All are in the schema ``focused``; rows of one crawl have its number. Hosts and links are partitioned by a hash of the
registered domain, and every statement on a link names its domain: a host, its links and its domain lie in one partition. So
one statement serves one machine as well as a server that spreads tables over several.

A link waits until its page's transaction says otherwise. That it is under way stands nowhere: it is the owner of its host who
knows, and with the owner's lease all of that ends (docs/method/many-workers.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg

from focused.frontier.shared.outputs import TABLES as OUTPUT_TABLES
from focused.utils.words import quantity

if TYPE_CHECKING:
    from psycopg import Connection

VERSION = 10
N_PARTITIONS = 4
LEAST_SERVER = 150_000
"""Oldest PostgreSQL, as its ``server_version``: 15."""
HAD_ENDED = "FC001"
"""SQLSTATE of a transaction that is refused because a link had ended before."""
AWAY = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.ReadOnlySqlTransaction,
    psycopg.errors.IdleInTransactionSessionTimeout,
    getattr(psycopg.errors, "TransactionTimeout", psycopg.OperationalError),  # as of psycopg 3.2.3 and PostgreSQL 17
)
"""Errors that pass: the server is away or full, a standby takes its place, or it has closed a transaction during which this
process slept. What they refuse is asked again, over another connection."""
_MAKING = 0x666F6375736564
"""Advisory lock of the one that makes the tables."""

_TABLES = """
CREATE TABLE about (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE crawls (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    about jsonb NOT NULL,             -- topic, web, strategy, limits: what every worker must agree with
    began_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz, reason text -- why it ended; NULL: it goes on
);
CREATE TABLE files (                  -- the topic, as the bytes of its files
    crawl integer NOT NULL, name text NOT NULL, sha256 text NOT NULL, content bytea NOT NULL, PRIMARY KEY (crawl, name)
);
CREATE TABLE workers (                -- a worker's lease: renewed by the database's clock, its number never used again
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    crawl integer NOT NULL, name text NOT NULL,
    alive_until timestamptz NOT NULL, ended_at timestamptz,
    is_busy boolean NOT NULL DEFAULT true,  -- has, or may yet bring, something to do
    n_hosts integer NOT NULL DEFAULT 0,     -- hosts with waiting links that are this worker's
    best bigint,                            -- rank of the best link that it might ask for now; NULL: it has none
    granted bigint NOT NULL DEFAULT 0,      -- pages of the budget that are this worker's
    n_pages bigint NOT NULL DEFAULT 0, n_relevant bigint NOT NULL DEFAULT 0,
    n_found bigint NOT NULL DEFAULT 0,      -- links taken in
    n_ended bigint NOT NULL DEFAULT 0       -- links that wait no more
);
CREATE INDEX workers_of_crawl ON workers (crawl);
CREATE TABLE hosts (
    crawl integer NOT NULL, domain bigint NOT NULL, host bigint NOT NULL, name text NOT NULL,
    best bigint,                      -- no waiting link has a lower rank; NULL: none waits
    owner integer,                    -- the worker whose host it is; NULL: nobody's
    next_at timestamptz NOT NULL DEFAULT '-infinity',  -- nobody may ask it before
    delay real NOT NULL DEFAULT 0,    -- seconds between two requests, as the last owner kept them
    n_pages integer NOT NULL DEFAULT 0, n_relevant integer NOT NULL DEFAULT 0, n_failed integer NOT NULL DEFAULT 0,
    news bigint NOT NULL DEFAULT 0,   -- raised by others than the owner who have found links
    PRIMARY KEY (crawl, domain, host)
) PARTITION BY HASH (domain);
CREATE INDEX hosts_free ON hosts (crawl, best) WHERE owner IS NULL AND best IS NOT NULL;
CREATE INDEX hosts_owned ON hosts (owner) WHERE owner IS NOT NULL;
CREATE TABLE links (
    crawl integer NOT NULL, domain bigint NOT NULL, fingerprint bigint NOT NULL, host bigint NOT NULL,
    state smallint NOT NULL,          -- as of focused.frontier.store.schema.STATES; none is leased
    rank bigint NOT NULL,             -- less is better: focused.frontier.store.ranks
    extra integer NOT NULL, tunnel integer NOT NULL, url text NOT NULL,
    score double precision NOT NULL, reason text NOT NULL, admitted boolean NOT NULL, referrer text NOT NULL,
    depth integer NOT NULL, irrelevant_on_path integer NOT NULL, carried double precision, parts double precision[],
    n_referrers integer NOT NULL, model_version integer NOT NULL,
    callback text, request text,
    ended_at timestamptz, note text,
    PRIMARY KEY (crawl, domain, fingerprint)
) PARTITION BY HASH (domain);
CREATE INDEX links_waiting ON links (crawl, domain, host, rank) WHERE state = 0;
CREATE TABLE pages (                  -- every page fetched, once
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    crawl integer NOT NULL, worker integer NOT NULL, domain bigint NOT NULL, fingerprint bigint NOT NULL,
    url text NOT NULL, relevant boolean NOT NULL, fetched_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (crawl, domain, fingerprint)
);
CREATE TABLE records (                -- what a strategy that learns has learnt from a page: focused.method.scoring.session
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    crawl integer NOT NULL, worker integer NOT NULL, record bytea NOT NULL
);
CREATE INDEX records_of_crawl ON records (crawl, id);
"""
_MIGRATIONS = {
    # When a worker joined, and who moves the links of one that has ended. Most tables of version 1 have the rest already.
    2: """
ALTER TABLE workers ADD COLUMN began_at timestamptz NOT NULL DEFAULT clock_timestamp(), ADD COLUMN heir integer;
UPDATE workers SET began_at = least(began_at, alive_until, ended_at);
ALTER TABLE records ADD COLUMN IF NOT EXISTS n_links integer NOT NULL DEFAULT 0,
    ADD COLUMN IF NOT EXISTS model_version integer NOT NULL DEFAULT 1;
CREATE INDEX IF NOT EXISTS records_of_worker ON records (worker, id);
""",
    # What a worker counts: focused.frontier.store.worker_demand. NULL: nothing yet, or it is not patient.
    3: "ALTER TABLE workers ADD COLUMN reckoning double precision[]",
    # What a host's robots.txt files say, one of each origin (scheme, host and port); empty: there is none.
    4: """
CREATE TABLE robots (
    crawl integer NOT NULL, domain bigint NOT NULL, host bigint NOT NULL, origin text NOT NULL,
    content bytea NOT NULL, read_at timestamptz NOT NULL,
    PRIMARY KEY (crawl, domain, host, origin)
);
""",
    # What a page says of copies and of the groups of URLs that it belongs to: focused.frontier.store.texts.
    5: """
CREATE TABLE texts (
    id bigint GENERATED ALWAYS AS IDENTITY, crawl integer NOT NULL, worker integer NOT NULL,
    url text NOT NULL, copy_of text NOT NULL, referrer text NOT NULL, relevant boolean NOT NULL, sketch bytea NOT NULL,
    PRIMARY KEY (worker, id)
);
CREATE INDEX texts_of_crawl ON texts (crawl, id);
""",
    # Failures in a row of origins (scheme, host and port), 0: it has answered since; and whether it ever has.
    6: """
CREATE TABLE troubles (
    crawl integer NOT NULL, domain bigint NOT NULL, host bigint NOT NULL, origin text NOT NULL,
    n_failures integer NOT NULL, why text NOT NULL, has_answered boolean NOT NULL,
    PRIMARY KEY (crawl, domain, host, origin)
);
""",
    # What people say of pages, each person's last word; and the versions of the model that were trained from it, with the
    # pages' numbers, labels and URLs. Version 1 is the topic's own. Records of a version have numbers above its ``floor``.
    7: """
CREATE TABLE verdicts (
    crawl integer NOT NULL, url text NOT NULL, person text NOT NULL, relevant boolean, given_at text NOT NULL,
    said bigint GENERATED ALWAYS AS IDENTITY
);
CREATE UNIQUE INDEX verdicts_on_pages ON verdicts (crawl, md5(url), person);
CREATE INDEX collected_by_url ON collected (crawl, md5(url));
CREATE TABLE versions (
    crawl integer NOT NULL, version integer NOT NULL, accepted boolean NOT NULL, attempt jsonb NOT NULL,
    labels jsonb NOT NULL, floor bigint NOT NULL, PRIMARY KEY (crawl, version)
);
ALTER TABLE files ADD COLUMN version integer NOT NULL DEFAULT 1, DROP CONSTRAINT files_pkey;
ALTER TABLE files ADD PRIMARY KEY (crawl, version, name);
""",
    # What a statement calls to undo itself: some of the links that it was to end had ended before. It says which had not.
    8: f"""
CREATE FUNCTION refuse_all_but(ended bigint[]) RETURNS boolean LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION '%', array_to_string(ended, ' ') USING ERRCODE = '{HAD_ENDED}'; END $$;
""",
    # What a project's own item class adds to a page; new tables of version 1 have the column already.
    9: "ALTER TABLE collected ADD COLUMN IF NOT EXISTS own_fields text",
    # Hosts that were probed for soft 404s, and their answers: focused.frontier.soft_404_answers.
    10: """
CREATE TABLE soft_404s (
    crawl integer NOT NULL, domain bigint NOT NULL, host bigint NOT NULL, name text NOT NULL,
    worker integer NOT NULL, answer bytea NOT NULL, said bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (crawl, domain, host)
);
""",
}
"""What makes tables of one version of those of the version before, by version. All tables begin as those of version 1."""
_ALIVE = "SELECT count(*) FROM workers WHERE ended_at IS NULL AND alive_until > clock_timestamp()"
_SESSION = (
    # Where a plan is made before a table has rows, it must be the one for many: all access is by key.
    *("SET search_path = focused", "SET enable_hashjoin = off", "SET enable_mergejoin = off"),
    *("SET enable_seqscan = off", "SET plan_cache_mode = force_generic_plan", "SET jit = off"),
    *("SET TIME ZONE 'UTC'", "SET client_min_messages = warning", "SET idle_in_transaction_session_timeout = '60s'"),
)


class SharedFrontierError(ValueError):
    """The database cannot be used as a frontier; one sentence says what to do."""


def connect(url: str, *, connect_secs: int = 10) -> Connection[Any]:
    """Return a connection that finds the tables; a `psycopg.Error` if the server cannot be reached."""
    # A server that went away without a word is noticed after half a minute.
    keepalives: dict[str, Any] = {
        "keepalives": 1,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
    }
    made = psycopg.connect(url, connect_timeout=connect_secs, autocommit=True, prepare_threshold=2, **keepalives)
    try:
        for statement in _SESSION:
            made.execute(statement)
    except BaseException:
        made.close()
        raise
    return made


def make_tables(connection: Connection[Any]) -> None:
    """Make the tables if they are not there; of several that do so at once, one does.

    Raises
    ------
    SharedFrontierError
        If the server is too old, or the tables are of another version of this program.
    """
    if (version := connection.info.server_version) < LEAST_SERVER:
        raise SharedFrontierError(
            f"The crawl's database must be PostgreSQL {LEAST_SERVER // 10_000} or newer. Got {version // 10_000}."
        )
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
        if connection.execute("SELECT to_regclass('focused.about')").fetchone() == (None,):
            connection.execute("CREATE SCHEMA IF NOT EXISTS focused")
            connection.execute(_TABLES)
            connection.execute(OUTPUT_TABLES)
            for table in ("hosts", "links"):
                for part in range(N_PARTITIONS):
                    connection.execute(
                        f"CREATE TABLE {table}_{part} PARTITION OF {table} "
                        f"FOR VALUES WITH (MODULUS {N_PARTITIONS}, REMAINDER {part})"
                    )
            connection.execute("INSERT INTO about VALUES ('version', '1')")
        row = connection.execute("SELECT value FROM about WHERE key = 'version'").fetchone()
        found = row[0] if row else "none"
        if found not in map(str, range(1, VERSION + 1)):
            raise SharedFrontierError(
                f"The tables of the crawl's database are of version {found}, this program needs {VERSION}. Let all workers "
                "have the same version of it, or choose another database"
            )
        _migrate(connection, int(found))


def _migrate(connection: Connection[Any], found: int) -> None:
    """Bring tables from an earlier version to this one, in the transaction that is open; not while workers use them."""
    if found == VERSION:
        return
    row = connection.execute(_ALIVE).fetchone()
    if row is not None and row[0]:
        raise SharedFrontierError(
            f"The tables of the crawl's database are of version {found}, this program needs {VERSION}, and updates them "
            f"when nobody uses them. Now {quantity(row[0], 'workers')} at work: wait for the end, or use the version of these"
        )
    for version in range(found + 1, VERSION + 1):
        connection.execute(_MIGRATIONS[version])
    connection.execute("UPDATE about SET value = %s WHERE key = 'version'", (str(VERSION),))
