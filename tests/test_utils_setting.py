"""A declared setting says what it must be, and holds values to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from focused.utils.setting import Setting


@pytest.mark.parametrize(
    ("found", "good", "bad", "words"),
    [
        (Setting("A", 0.5, least=0, most=1), ["1", 0, " .5 "], [1.01, "inf", True], "a number from 0 to 1"),
        (Setting("A", 2.0, most=3), ["-1"], [4], "a number up to 3"),
        (Setting("A", 2.0, above=0), ["1e-9"], [0], "a number above 0"),
        (Setting("A", 3, least=1), ["7", 1], [0, "1.5", 2.5, "²", True], "a whole number of at least 1"),
        (Setting("A", 20, least=20, most=5000), ["5000"], [5001], "a whole number from 20 to 5,000"),
        (Setting("A", True), ["False", "1", 0, True], ["perhaps", "TRUE", None], "True or False"),
        (Setting("A", "page", choices=("page", "crawl")), ["crawl"], ["web", None, 1], "'page' or 'crawl'"),
        (Setting("A", "x", names_class=True), ["x.Y"], [1, None], "a name, or the path of a class"),
        (Setting("A", ""), ["x", Path("x")], [None, 1], "a text"),
    ],
)
def test_a_setting_is_what_it_says(found, good, bad, words):
    assert found.description == words
    for value in good:
        assert type(found.check(value)) is type(found.default)
    for value in bad:
        with pytest.raises(ValueError, match=f"^A must be {words}. Got "):
            found.check(value)


def test_a_setting_without_a_default_is_a_number_or_none():
    found = Setting("A", None, above=0, most=1)
    assert [found.check(value) for value in (None, "", "None", "0.5", 1)] == [None, None, None, 0.5, 1.0]
    for value in (0, 1.01, "nan", "some"):
        with pytest.raises(ValueError, match=r"^A must be a number above 0 and up to 1, or None\. Got "):
            found.check(value)


def test_an_argument_that_stands_for_a_setting_is_named_as_what_it_is():
    with pytest.raises(ValueError, match=r"^Spider argument 'a' must be a whole number\. Got 'x'\.$"):
        Setting("A", 1).check("x", "Spider argument 'a'")


def test_a_number_that_overflows_where_it_is_a_time_is_refused_with_the_most_it_may_be():
    for value in (1e300, "-1e12", "inf", 10**15):
        with pytest.raises(ValueError, match=r"must be a number.*It may have 12 digits"):
            Setting("A", 1.0).check(value)
    with pytest.raises(ValueError, match=r"must be a number\. Got nan\.$"):
        Setting("A", 1.0).check(float("nan"))
