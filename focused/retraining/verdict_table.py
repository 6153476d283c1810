"""What people say of pages, each person's last word on each page, and what follows where they differ.

A program that judges (`focused.collection.judged.ASSESSOR`) is asked where no person has said anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.verdict_folder import ASSESSOR

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from focused.collection.verdict_files import Verdict


class VerdictTable:
    """The verdicts of all people, by the canonical forms of URLs. At most ``max_pages`` pages; further ones are counted."""

    def __init__(self, max_pages: int) -> None:
        self.max_pages = max_pages
        #: Pages whose verdicts found no room.
        self.n_forgotten = 0
        self._of_page: dict[str, dict[str, Verdict]] = {}

    def __len__(self) -> int:
        """How many pages somebody has said anything of."""
        return len(self._of_page)

    def add(self, verdict: Verdict) -> bool:
        """Let a verdict take the place of what its person said before; return whether people as a whole say another thing now.

        >>> from focused.collection.verdict_files import Verdict
        >>> table, page = VerdictTable(10), "http://h.example/"
        >>> [table.add(Verdict(page, relevant, person=who)) for who, relevant in (("a", True), ("b", True), ("b", False))]
        [True, False, True]
        >>> table.relevant([page]) is None
        True
        """
        of_page = self._of_page.get(verdict.url)
        if of_page is None:
            if len(self._of_page) >= self.max_pages:
                self.n_forgotten += 1
                return False
            of_page = self._of_page[verdict.url] = {}
        before = _agreed(of_page.values())
        of_page[verdict.person] = verdict
        return _agreed(of_page.values()) is not before

    def relevant(self, forms: Iterable[str]) -> bool | None:
        """Return what people say of a page, known by the canonical forms of its URLs; None: nothing, or contrary things."""
        said = [each for form in forms for each in self._of_page.get(form, {}).values()]
        return _agreed(said)

    def __iter__(self) -> Iterator[Verdict]:
        """All that is said, each person's last word on each page."""
        for of_page in self._of_page.values():
            yield from of_page.values()


def _agreed(verdicts: Iterable[Verdict]) -> bool | None:
    given = [each for each in verdicts if each.relevant is not None]
    by_people = {each.relevant for each in given if not each.person.startswith(ASSESSOR)}
    said = by_people or {each.relevant for each in given}
    return said.pop() if len(said) == 1 else None
