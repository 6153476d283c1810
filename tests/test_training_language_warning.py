"""What is said where the unlabelled pages are in another language than the topic."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import pytest

from focused.method.training.example_warnings import language_of_unlabeled


@pytest.mark.parametrize(
    ("languages", "said"),
    [
        ({"en": 292, "fr": 54, "de": 69}, "54 of 415 unlabelled pages are in 'fr', the topic's language, 292 in 'en'"),
        ({"en": 30}, "0 of 30 unlabelled pages are in 'fr', the topic's language, 30 in 'en'"),
    ],
)
def test_how_many_unlabelled_pages_are_in_the_topics_language_is_said_where_another_has_more(languages, said):
    [warning] = language_of_unlabeled("fr", SimpleNamespace(languages=Counter(languages)))
    assert warning.startswith(said)
    assert "more --unlabeled pages in 'fr'" in warning


def test_nothing_is_said_where_no_language_has_more_than_the_topics():
    assert language_of_unlabeled("fr", SimpleNamespace(languages=Counter(fr=40, en=39, de=39))) == []
