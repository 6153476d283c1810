"""Gives pages their verdicts, whichever of the two comes first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from focused.utils.url_forms import canonical_form

if TYPE_CHECKING:
    from collections.abc import Iterable

    from focused.retraining.page_labels import PageLabels
    from focused.retraining.verdict_reader import VerdictReader


@dataclass(eq=False)
class FeedbackIntake:
    """Knows the pages of a crawl by their URLs, and adds what people say of them to the labels."""

    reader: VerdictReader
    labels: PageLabels

    def __post_init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._forms_of: dict[int, list[str]] = {}
        self.reader.subscribe(self._take_in)

    def number_of(self, url: str) -> int | None:
        """Return the number of a page; None if it has not been judged."""
        return self._number_of.get(canonical_form(url) or "")

    def add_page(self, number: int, urls: Iterable[str]) -> None:
        """Add a page with its URLs, and what people have said of it already."""
        forms = list(dict.fromkeys(filter(None, map(canonical_form, urls))))
        for form in forms:
            self._number_of[form] = number
        if len(forms) > 1:
            self._forms_of[number] = forms
        self._join(number, self.reader.table.relevant(forms))

    def read(self) -> None:
        """Read the verdicts that are new, at most once a second."""
        self.reader.read()

    def read_all(self) -> None:
        """Read all verdicts that are there; the crawl has not begun and can wait."""
        self.reader.read_all()

    def _take_in(self, form: str) -> None:
        number = self._number_of.get(form)
        if number is not None:
            self._join(number, self.reader.table.relevant(self._forms_of.get(number, [form])))

    def _join(self, number: int, relevant: bool | None) -> None:
        if relevant is None:
            self.labels.withdraw(number)
        else:
            self.labels.add_verdict(number, relevant)
