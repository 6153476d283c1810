"""The parameters of all strategies: settings, defaults, ranges, documentation."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from commands import ROOT

from focused import settings
from focused.method.scoring import Strategy
from focused.method.strategies import STRATEGIES, check_parameters, make_strategy
from focused.utils.parameters import Parameter, parameter, parameters_of

ALL = {
    parameter.setting: (name, field, parameter)
    for name, kind in STRATEGIES.items()
    for field, parameter in parameters_of(kind).items()
}


@pytest.mark.parametrize("setting", ALL)
def test_a_setting_has_the_default_of_its_parameter_and_is_documented(setting):
    _, _, found = ALL[setting]
    default = getattr(settings, setting)
    assert (default, type(default)) == (found.default, type(found.default))
    assert f"`{setting}`" in (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("setting", ALL)
def test_a_strategy_has_its_settings_values(setting):
    name, field, found = ALL[setting]
    other = {float: 0.25, int: 4, str: "x", bool: not found.default}[type(found.default)]
    other = found.choices[-1] if found.choices else other
    if isinstance(other, (int, float)) and found.least is not None:
        other = type(other)(max(other, found.least))
    for value in (other, str(other)):  # a command line has texts
        assert getattr(make_strategy(name, {setting: value}), field) == other
    assert getattr(make_strategy(name, {}), field) == found.default


@pytest.mark.parametrize("setting", [name for name, (_, _, each) in ALL.items() if not isinstance(each.default, str)])
@pytest.mark.parametrize("value", ["many", "nan", "", None, [1]])
def test_what_is_no_number_is_refused_whatever_strategy_is_chosen(setting, value):
    with pytest.raises(ValueError, match=f"{setting} must be ") as refused:
        check_parameters({setting: value})
    assert repr(value) in str(refused.value)


@pytest.mark.parametrize("setting", ALL)
def test_what_is_out_of_range_is_refused_by_settings_and_by_the_class(setting):
    name, field, found = ALL[setting]
    outside = [bound + step for bound, step in ((found.least, -1), (found.most, 1)) if bound is not None]
    for value in outside:
        with pytest.raises(ValueError, match=f"{setting} must be a .*number"):
            check_parameters({setting: value})
        with pytest.raises(ValueError, match=f"{setting} must be a .*number"):
            make_strategy(name, **{field: value})
    for bound in (found.least, found.most):
        if bound is not None:
            check_parameters({setting: bound})


@pytest.mark.parametrize(
    ("found", "good", "bad", "words"),
    [
        (Parameter("A", 0.5, 0, 1), ["1", 0, " .5 "], [1.01, "inf", True], "a number from 0 to 1"),
        (Parameter("A", 2.0, most=3), ["-1"], [4], "a number up to 3"),
        (Parameter("A", 3, 1), ["7", 1], [0, "1.5", 2.5, "²", True], "a whole number of at least 1"),
        (Parameter("A", True), ["False", "1", 0, True], ["perhaps", None], "True or False"),
        (Parameter("A", "page", choices=("page", "crawl")), ["crawl"], ["web", None, 1], "'page' or 'crawl'"),
        (Parameter("A", ""), ["x"], [None, 1], "a text"),
    ],
)
def test_a_parameter_is_what_it_says(found, good, bad, words):
    assert found.description == words
    for value in good:
        assert type(found.check(value)) is type(found.default)
    for value in bad:
        with pytest.raises(ValueError, match=f"A must be {words}"):
            found.check(value)


def test_a_strategy_s_own_parameters_are_inherited_and_added_to():
    @dataclass(frozen=True)
    class One(Strategy):
        first: float = parameter("FOCUSED_FIRST", 0.5, least=0, most=1)

    @dataclass(frozen=True)
    class Two(One):
        second: int = parameter("FOCUSED_SECOND", 2, least=1)

    assert list(parameters_of(Two)) == ["first", "second"]
    assert (Two().first, Two(second=5).second) == (0.5, 5)
    with pytest.raises(ValueError, match="FOCUSED_SECOND must be a whole number of at least 1"):
        Two(second=0)
