"""Writes a crawl's outputs beside the frontier: a row for each page, and how each worker ended.

A page's row is part of the page's transaction: it is there once, or not at all.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from psycopg.types.json import Jsonb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from psycopg import Connection

_KINDS = {
    **dict.fromkeys(("relevance", "threshold", "link_score"), "double precision"),
    **dict.fromkeys(("model_version", "depth", "irrelevant_on_path", "link_model_version", "n_waiting"), "integer"),
    **dict.fromkeys(("relevant", "noindex", "text_left_out", "delivered"), "boolean"),
    "terms": "bytea",
}
COLUMNS = (
    *("url", "location", "title", "text", "author", "date", "site_name", "description", "license", "language"),
    *("canonical_url", "headings", "relevance", "relevant", "threshold", "model_version", "noindex", "duplicate_of"),
    *(
        "content_type",
        "depth",
        "referrer",
        "link_score",
        "link_reason",
        "fetched_at",
        "sha256",
        "terms",
        "text_left_out",
    ),
    *("markdown", "delivered", "irrelevant_on_path", "link_model_version", "n_waiting", "own_fields"),
)
"""Of a page; those of ``collection.sqlite`` have the same meaning. ``n_waiting``: links that waited in the crawl by then."""

TABLES = f"""
CREATE TABLE collected (              -- every page fetched, with its text: the collection, fetched.csv and harvest.csv
    crawl integer NOT NULL, page bigint NOT NULL,  -- of the table pages
    {", ".join(f"{name} {_KINDS.get(name, 'text')}" for name in COLUMNS)},
    PRIMARY KEY (crawl, page)
);
CREATE TABLE runs (                   -- what a worker says of itself when it ends: its run.json
    crawl integer NOT NULL, name text NOT NULL, run jsonb NOT NULL, PRIMARY KEY (crawl, name)
);
"""
_VALUES = ", ".join(f"%({name})s::{_KINDS.get(name, 'text')}" for name in COLUMNS)
INSERT = (
    f"INSERT INTO collected (crawl, page, {', '.join(COLUMNS)}) "
    f"SELECT %(crawl)s, %(page)s::bigint, {_VALUES} "
    "WHERE %(page)s::bigint IS NOT NULL ON CONFLICT DO NOTHING"
)
"""A page's row, for `PageOutputs.add_output`. A page that turned out to be none leaves none."""
_ROWS_AT_A_TIME = 200


def clean(value: Any) -> Any:
    """Return a text as PostgreSQL can hold it, without NUL and halves of characters; anything else as it is."""
    if not isinstance(value, str):
        return value
    value = value.replace("\0", "")
    return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")


def save_run(connection: Connection[Any], crawl: int, name: str, run: Mapping[str, Any]) -> None:
    """Keep what a worker says of itself."""
    text = json.dumps(run, default=str).replace("\\u0000", "")
    connection.execute(
        "INSERT INTO runs VALUES (%s, %s, %s) ON CONFLICT (crawl, name) DO UPDATE SET run = excluded.run",
        (crawl, name, Jsonb(json.loads(text))),
    )


def runs_of(connection: Connection[Any], crawl: int) -> list[dict[str, Any]]:
    """Return what the workers that have ended said of themselves."""
    return [dict(run) for (run,) in connection.execute("SELECT run FROM runs WHERE crawl = %s ORDER BY name", (crawl,))]


def page_numbers(connection: Connection[Any], crawl: int) -> list[int]:
    """Return the numbers of all pages of a crawl, ascending."""
    return [page for (page,) in connection.execute("SELECT page FROM collected WHERE crawl = %s ORDER BY 1", (crawl,))]


def pages(
    connection: Connection[Any], crawl: int, numbers: Sequence[int], columns: Sequence[str] = COLUMNS
) -> Iterator[dict[str, Any]]:
    """Yield pages by their numbers, in their order, as values of ``columns``."""
    for start in range(0, len(numbers), _ROWS_AT_A_TIME):
        rows = connection.execute(
            f"SELECT {', '.join(columns)} FROM collected WHERE crawl = %s AND page = ANY(%s) ORDER BY page",
            (crawl, list(numbers[start : start + _ROWS_AT_A_TIME])),
        )
        yield from (dict(zip(columns, row, strict=True)) for row in rows)
