"""Keeps each person's last verdict on each page, and decides where people disagree.

A program that judges (`focused.collection.verdict_folder.ASSESSOR`) is asked where no person has said anything, unless it
says too often what people do not (`focused.retraining.assessor_agreement`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.collection.verdict_folder import ASSESSOR
from focused.retraining.assessor_agreement import AssessorAgreement
from focused.utils.words import quantity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from focused.collection.verdict_files import Verdict


class VerdictTable:
    """The verdicts of all people, by the canonical forms of URLs, on at most ``max_pages`` pages.

    If there are more, those on pages that the run knows take the place of others. What finds no room is counted.
    """

    def __init__(self, max_pages: int, is_known: Callable[[str], bool] | None = None) -> None:
        self.max_pages = max_pages
        #: Tells whether the run has fetched a page, by the canonical form of its URL; None: that cannot be told.
        self.is_known = is_known
        #: Verdicts that found no room.
        self.n_forgotten = 0
        #: Pages that the run did not know when the table was full for the first time.
        self._unknown: list[str] | None = None
        self._of_page: dict[str, dict[str, Verdict]] = {}
        self._agreement: dict[str, AssessorAgreement] = {}
        self._shifted: set[str] = set()

    def __len__(self) -> int:
        """How many pages somebody has said anything of."""
        return len(self._of_page)

    def add(self, verdict: Verdict) -> bool:
        """Replace the person's earlier verdict on the page; return whether the joint verdict of all people has changed.

        >>> from focused.collection.verdict_files import Verdict
        >>> table, page = VerdictTable(10), "http://h.example/"
        >>> [table.add(Verdict(page, relevant, person=who)) for who, relevant in (("a", True), ("b", True), ("b", False))]
        [True, False, True]
        >>> table.relevant([page]) is None
        True
        """
        of_page = self._of_page.get(verdict.url)
        if of_page is None:
            if len(self._of_page) >= self.max_pages and not self._make_room(verdict.url):
                self.n_forgotten += 1
                return False
            of_page = self._of_page[verdict.url] = {}
        before = self._agreed(of_page.values())
        programs = {person for person in (*of_page, verdict.person) if person.startswith(ASSESSOR)}
        believed = {person: self._is_believed(person) for person in programs}
        self._count(of_page, -1)
        of_page[verdict.person] = verdict
        self._count(of_page, 1)
        for person in programs:
            if self._is_believed(person) is not believed[person]:
                self._shifted |= {url for url, each in self._of_page.items() if person in each}
        return self._agreed(of_page.values()) is not before

    def about_forgotten(self) -> str:
        """Return a sentence about the verdicts for which there was no room; empty if there was room for all."""
        if not self.n_forgotten:
            return ""
        return (
            f"{quantity(self.n_forgotten, 'verdicts')} found no room beside those on {quantity(self.max_pages, 'pages')}, and "
            "count for nothing. Those on pages that the run does not know go first: take them out of the files"
        )

    def _make_room(self, form: str) -> bool:
        """Forget what is said of a page that the run does not know, for one that it knows; return whether there is room."""
        if self.is_known is None or not self.is_known(form):
            return False
        if self._unknown is None:
            self._unknown = [each for each in self._of_page if not self.is_known(each)]
        while self._unknown:
            other = self._unknown.pop()
            if not self.is_known(other):  # it may have been fetched meanwhile
                self._count(self._of_page[other], -1)
                self.n_forgotten += len(self._of_page.pop(other))
                return True
        return False

    def pages_of_changed_programs(self) -> set[str]:
        """Return, once, the pages judged by programs whose verdicts began or ceased to count, by their canonical forms."""
        found, self._shifted = self._shifted, set()
        return found

    def not_believed(self) -> dict[str, str]:
        """Return the programs whose verdicts are ignored, and why."""
        return {person: str(found) for person, found in self._agreement.items() if not found.is_believed}

    def relevant(self, forms: Iterable[str]) -> bool | None:
        """Return what people say of a page, known by the canonical forms of its URLs; None: nothing, or contrary things."""
        said = [each for form in forms for each in self._of_page.get(form, {}).values()]
        return self._agreed(said)

    def verdicts_by_page(self) -> dict[str, dict[str, bool]]:
        """Return what each person, or program, says of each page, by the canonical form of its URL."""
        return {
            form: {person: each.relevant for person, each in of_page.items() if each.relevant is not None}
            for form, of_page in self._of_page.items()
        }

    def __iter__(self) -> Iterator[Verdict]:
        """Yield all verdicts: the last one of each person on each page."""
        for of_page in self._of_page.values():
            yield from of_page.values()

    def _is_believed(self, person: str) -> bool:
        found = self._agreement.get(person)
        return found is None or found.is_believed

    def _count(self, of_page: dict[str, Verdict], n: int) -> None:
        """Count what programs say of a page beside what people say, or take it out."""
        people = {who: each.relevant for who, each in of_page.items() if each.relevant is not None}
        programs = {who: people.pop(who) for who in [*people] if who.startswith(ASSESSOR)}
        if len(said := set(people.values())) == 1:
            by_people = said.pop()
            for who, relevant in programs.items():
                self._agreement.setdefault(who, AssessorAgreement()).count(by_people, relevant, n)

    def _agreed(self, verdicts: Iterable[Verdict]) -> bool | None:
        given = [each for each in verdicts if each.relevant is not None]
        by_people = {each.relevant for each in given if not each.person.startswith(ASSESSOR)}
        said = by_people or {each.relevant for each in given if self._is_believed(each.person)}
        return said.pop() if len(said) == 1 else None
