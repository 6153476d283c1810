"""Connects to the PostgreSQL database that a setting names, with its URL checked and never a password in what is shown."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit, urlunsplit

CONNECT_SECS = 10
_SCHEMES = ("postgresql", "postgres")
_EXAMPLE = "postgresql://me@host/database"
_TOO_MANY = re.compile("too many (clients|connections)|connection slots|max_client_conn")
_SECRETS = ("password", "sslpassword", "oauth_client_secret")
CRAWL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")
"""What a crawl in a database may be called: a part of a URL, and the name of a folder."""


def import_psycopg(needed_by: str) -> Any:
    """Return psycopg, an extra of the package; a ValueError says how it is installed."""
    try:
        import psycopg
    except ImportError:
        raise ValueError(
            f"{needed_by} needs psycopg. Install it: pip install 'psycopg[binary]' (or focused[database])"
        ) from None
    return psycopg


def check_url(setting: str, url: str) -> str:
    """Return the URL of a database as it is.

    Raises
    ------
    ValueError
        If psycopg is not installed, the text is no URL of a database, or it holds a password, which ``run.json`` and the
        list of processes would show. One sentence, without the password.
    """
    psycopg = import_psycopg(setting)
    try:
        parts = psycopg.conninfo.conninfo_to_dict(url)
        if url.partition("://")[0] not in _SCHEMES:
            raise ValueError(url)
    except (psycopg.Error, ValueError):
        raise ValueError(f"{setting} must be a URL such as {_EXAMPLE}. Got {shown(url)!r}.") from None
    if any(parts.get(name) for name in _SECRETS):
        raise ValueError(
            f"{setting} must not hold a password: run.json and the list of processes would show it. Put it into the "
            "environment (PGPASSWORD) or into ~/.pgpass"
        )
    return url


def connect(setting: str, url: str, **options: Any) -> Any:
    """Return a connection that commits each statement by itself; ``options`` are psycopg's.

    Raises
    ------
    ValueError
        As of `check_url`, or if the server does not answer. One sentence.
    """
    psycopg = import_psycopg(setting)
    check_url(setting, url)
    try:
        return psycopg.connect(url, **{"connect_timeout": CONNECT_SECS, "autocommit": True, **options})
    except psycopg.Error as error:
        raise ValueError(cannot_be_used(setting, error)) from None


def cannot_be_used(setting: str, error: Exception) -> str:
    """Return what to say if a database cannot be connected to, or its tables cannot be made: one sentence."""
    why = " ".join(str(error).split()).rstrip(".?")
    see = what_to_do(error) or ". See that it runs, and that you may use it"
    return f"The database of {setting} cannot be used: {why}{see}"


def what_to_do(error: object) -> str:
    """Return what to do where the server says that it has too many connections, as the end of a sentence; else nothing.

    >>> what_to_do("FATAL:  sorry, too many clients already")[:29], what_to_do("no route to host")
    ('. Allow more: three for each ', '')
    """
    if not _TOO_MANY.search(str(error)):
        return ""
    return (
        ". Allow more: three for each worker and some (max_connections, ALTER ROLE ... CONNECTION LIMIT), or crawl with fewer "
        "workers"
    )


def shown(url: str) -> str:
    """Return as much of a URL as may be shown: a password may stand anywhere in it.

    >>> shown("postgresql://me:secret@host/database?password=secret"), shown("nothing")
    ('postgresql://...', 'nothing')
    """
    return f"{url.partition('://')[0].partition('@')[0]}://..." if "://" in url else url.partition("password")[0]


def is_database_url(text: str) -> bool:
    """Tell whether an argument means a database, not a folder.

    >>> is_database_url("postgresql://host/web/stars"), is_database_url("runs/stars")
    (True, False)
    """
    return text.partition("://")[0] in _SCHEMES and "://" in text


def split_crawl(url: str) -> tuple[str, str]:
    """Return the URL of a database and the name of a crawl in it, from ``postgresql://.../DATABASE/NAME``.

    A ValueError says that there is no name.

    >>> split_crawl("postgresql://me@host/web/stars?sslmode=require")
    ('postgresql://me@host/web?sslmode=require', 'stars')
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    folder, _, name = parts.path.rpartition("/")
    if not is_database_url(url) or not re.fullmatch("/[^/]+", folder) or not CRAWL_NAME.fullmatch(name):
        raise ValueError(f"A crawl in a database must be named as {_EXAMPLE}/CRAWL. Got {shown(url)!r}.")
    # Not through urlunsplit alone: without a host it would leave the slashes out.
    netloc = parts.netloc
    return f"{parts.scheme}://{netloc}{urlunsplit(('', '', folder, parts.query, ''))}", name


def with_crawl(url: str, name: str) -> str:
    """Return the URL of a crawl in a database, as `split_crawl` reads it.

    >>> with_crawl("postgresql://postgres@/postgres?host=/tmp/a", "stars")
    'postgresql://postgres@/postgres/stars?host=/tmp/a'
    """
    address, mark, query = url.partition("?")
    return f"{address.rstrip('/')}/{name}{mark}{query}"
