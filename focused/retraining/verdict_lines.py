"""Lines of verdict files: JSON objects, or rows of a table."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN = 60
_YES = frozenset({"1", "yes", "y", "true", "relevant", "+"})
_NO = frozenset({"0", "no", "n", "false", "irrelevant", "-"})


@dataclass(frozen=True, slots=True)
class Verdict:
    """A person's judgement of a page."""

    #: Canonical form of its URL.
    url: str
    relevant: bool
    note: str = ""


def parse_verdict(text: str, separator: str | None) -> Verdict | None:
    """Return the verdict of a line; None for the head of a table.

    Parameters
    ----------
    text : str
    separator : str or None
        What separates the columns of a table; None in files of JSON objects.

    Raises
    ------
    ValueError
        If the line holds no verdict.
    """
    try:
        url, relevant, note = _of_row(text, separator) if separator and text[0] != "{" else _of_object(text)
        answer = relevant.strip().lower()
        if url.lower() == "url" and answer == "relevant":
            return None
        form = canonical_form(url.strip()) if "://" in url and answer in _YES | _NO else None
    except (KeyError, TypeError, RecursionError, csv.Error) as error:
        raise ValueError(f"{text!r} is no verdict.") from error
    if not form:
        raise ValueError(f"{text!r} is no verdict.")
    return Verdict(form, answer in _YES, note[:1000])


def fault_of(path: Path, number: int, text: str, separator: str | None) -> str:
    """Return what is wrong with a line, what it must be, and what is done with it."""
    shown = repr(text[:_SHOWN]) + (f"... ({len(text):,} characters or more)" if len(text) > _SHOWN else "")
    if "\0" in text or "\ufffd" in text:
        must = "The file must be text in UTF-8."
    elif text[0] == "[" and not separator:
        must = (
            "The file must hold JSON Lines, one object a line, and not an array. Convert it "
            f"(jq -c '.[]' {path.name} > {path.stem}.jsonl)."
        )
    elif separator:
        must = f"It must be a row of a URL, yes or no, and perhaps a note, separated by {separator!r}."
    else:
        must = 'It must be a JSON object such as {"url": "http://site.example/page", "relevant": true}.'
    return (
        f"{path}, line {number} is no verdict: {shown}. {must} Such lines are left out; more of this file are counted."
    )


def _of_object(text: str) -> tuple[str, str, str]:
    value: Any = json.loads(text)
    return str(value["url"]), str(value["relevant"]), str(value.get("note") or "")


def _of_row(text: str, separator: str) -> tuple[str, str, str]:
    row = next(csv.reader(io.StringIO(text), delimiter=separator))
    return row[0], row[1] if len(row) > 1 else "", row[2] if len(row) > 2 else ""
