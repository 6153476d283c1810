"""Writes columns of rows as PostgreSQL's array literals: what `psycopg` makes of lists takes ten times as long.

A literal has one type, whatever its values are: so a statement is prepared once, not anew for small and for large numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def array_text(values: Iterable[Any]) -> str:
    r"""Return the array literal of numbers, truth values or texts; None is NULL.

    >>> print(array_text([1, None, -2.5]), array_text([True, False]))
    {1,NULL,-2.5} {True,False}
    >>> print(array_text(["a", None, 'say "b\\c"', "NULL", ""]))
    {"a",NULL,"say \"b\\c\"","NULL",""}
    """
    return "{" + ",".join(_quoted(each) if isinstance(each, str) else _plain(each) for each in values) + "}"


def columns(rows: Sequence[Sequence[Any]]) -> list[str]:
    """Return the array literal of each column of rows.

    >>> columns([(1, "a"), (2, "b")])
    ['{1,2}', '{"a","b"}']
    """
    return [_column_text(column) for column in zip(*rows, strict=True)]


def _column_text(column: Sequence[Any]) -> str:
    r"""Return the array literal of values of one type; what has nothing to be quoted or left out is one call for all of it.

    >>> print(_column_text([1, 2]), _column_text([0.5, None]), _column_text(["a", "b,"]), _column_text(["a", '"']))
    {1,2} {0.5,NULL} {"a","b,"} {"a","\""}
    >>> print(_column_text([None, None]), _column_text([]))
    {NULL,NULL} {}
    """
    if n_none := column.count(None):
        return f"{{{','.join(['NULL'] * n_none)}}}" if n_none == len(column) else array_text(column)
    if not column:
        return "{}"
    if not isinstance(column[0], str):
        return "{" + ",".join(map(str, column)) + "}"
    joined = '","'.join(column)
    if "\\" in joined or joined.count('"') != 2 * (len(column) - 1):
        return array_text(column)
    return f'{{"{joined}"}}'


def _quoted(value: str) -> str:
    if "\\" in value or '"' in value:
        value = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{value}"'


def _plain(value: Any) -> str:
    return "NULL" if value is None else str(value)
