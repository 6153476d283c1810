"""The parameters of all strategies: what settings and the class itself take for them."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from focused.method.scoring import Strategy
from focused.method.strategies import STRATEGIES, make_strategy
from focused.utils.parameters import parameter, parameters_of

ALL = {
    f"{name}.{field}": (name, field, setting)
    for name, kind in STRATEGIES.items()
    for field, setting in parameters_of(kind).items()
}


@pytest.mark.parametrize("each", ALL)
def test_a_strategy_has_its_settings_values(each):
    name, field, found = ALL[each]
    other = {float: 0.25, int: 4, str: "x", bool: not found.default}[type(found.default)]
    other = found.choices[-1] if found.choices else other
    if isinstance(other, (int, float)) and found.least is not None:
        other = type(other)(max(other, found.least))
    for value in (other, str(other)):  # a command line has texts
        assert getattr(make_strategy(name, {found.name: value}), field) == other
    assert getattr(make_strategy(name, {}), field) == found.default


@pytest.mark.parametrize("each", ALL)
def test_what_is_out_of_range_is_refused_by_settings_and_by_the_class(each):
    name, field, found = ALL[each]
    for bound, step in ((found.least, -1), (found.most, 1)):
        if bound is not None:
            for given in ({"settings": {found.name: bound + step}}, {field: bound + step}):
                with pytest.raises(ValueError, match=f"{found.name} must be a .*number"):
                    make_strategy(name, **given)
            make_strategy(name, {found.name: bound})


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
