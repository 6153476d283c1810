"""Says in words on which pages people contradict each other, and how many verdicts are on pages that nobody fetched."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.verdict_folder import ASSESSOR
from focused.utils.terminal_text import harmless
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MOST_NAMED = 5
_MOST_PEOPLE = 10
"""That are named of one page."""


def contradictions(said: Mapping[str, Mapping[str, bool]]) -> list[str]:
    """Return lines that count the pages with contradicting verdicts, and name the first; none without such pages.

    ``said`` is what each person says of each page, by its URL. Programs contradict nobody.

    >>> for line in contradictions({"http://h.example/": {"anna": True, "bob": False}, "http://i.example/": {"bob": True}}):
    ...     print(line)
    1 page: people contradict each other, so the model decides
      http://h.example/ (anna: yes, bob: no)
    """
    by_people = {
        url: {person: relevant for person, relevant in each.items() if not person.startswith(ASSESSOR)}
        for url, each in said.items()
    }
    found = [(url, each) for url, each in by_people.items() if len(set(each.values())) > 1]
    return list(_lines(found)) if found else []


def about_not_fetched(n: int) -> str:
    """Say how many verdicts are on pages that a run does not have; empty if none."""
    return f"{quantity(n, 'verdicts')} {'is' if n == 1 else 'are'} on pages that this run has not fetched" if n else ""


def _lines(found: list[tuple[str, dict[str, bool]]]) -> Iterator[str]:
    yield f"{quantity(len(found), 'pages')}: people contradict each other, so the model decides"
    for url, each in found[:_MOST_NAMED]:
        people = [f"{harmless(person)}: {'yes' if relevant else 'no'}" for person, relevant in sorted(each.items())]
        more = f", and {len(people) - _MOST_PEOPLE} more" if len(people) > _MOST_PEOPLE else ""
        yield f"  {harmless(url)} ({', '.join(people[:_MOST_PEOPLE])}{more})"
    if len(found) > _MOST_NAMED:
        yield f"  and {len(found) - _MOST_NAMED:,} more"
