"""``benchmarks/mutants.py``: what it changes, what it leaves alone, and which tests it takes."""

from __future__ import annotations

import ast

import pytest
from mutation.reach import Reach, read
from mutation.sources import mutants
from mutation.trials import chosen_tests

SOURCE = '''"""A module of 1 function."""

def limited(text: str, most: int = 3) -> int:
    """Return 2 at most."""
    if not text:
        raise ValueError(f"Got {1 + 1}.")
    logger.info("of %d", 4)
    return min(len(text) + 5, most) if text < "é" and most > 6 else 7
'''


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "focused" / "module.py"
    path.parent.mkdir()
    path.write_text(SOURCE)
    return mutants(tmp_path, path)


def test_each_mutant_is_one_change_and_still_a_module(found):
    changed = [mutant.applied(SOURCE.encode()).decode() for mutant in found]
    assert len({*changed, SOURCE}) == len(found) + 1
    for text in changed:
        ast.parse(text)


def test_all_kinds_of_changes_are_made(found):
    changes = {(mutant.kind, mutant.before, mutant.after) for mutant in found}
    assert changes >= {
        ("not", "not text", "(text)"),
        ("and/or", 'text < "é" and most > 6', "(text < 'é' or most > 6)"),
        ("comparison", "most > 6", "(most >= 6)"),
        ("arithmetic", "len(text) + 5", "(len(text) - 5)"),
        ("constant", "3", "4"),
        ("constant", "3", "(2)"),
        ("return", 'return min(len(text) + 5, most) if text < "é" and most > 6 else 7', "return None"),
    }
    assert {mutant.function for mutant in found} == {3}


def test_messages_and_what_is_logged_stay_as_they_are(found):
    assert not {"1", "1 + 1", "4"} & {mutant.before for mutant in found}
    assert all(mutant.line != 7 for mutant in found)


def test_of_the_tests_that_reach_a_function_the_cheapest_are_taken(found):
    reach = Reach(seconds={"slow": 9.0, "quick": 0.1, "failed elsewhere": 1.0, "medium": 2.0})
    reach.tests["focused/module.py", 3] = {"slow", "quick", "medium", "unknown"}
    assert chosen_tests(reach, found[0], budget=5) == ["quick", "medium"]
    assert chosen_tests(reach, found[0], budget=5, first="slow") == ["slow", "quick", "medium"]
    assert chosen_tests(reach, found[0], budget=5, first="gone") == ["quick", "medium"]


def test_what_a_fixture_calls_counts_for_all_tests_of_its_file(tmp_path):
    (tmp_path / "calls-gw0-1").write_text("focused/a.py\t3\tsetup\tt.py::one\nfocused/a.py\t9\tcall\tt.py::two\n")
    (tmp_path / "passed-gw0-1").write_text("t.py::one\t0.5\nt.py::two\t0.2\nother.py::three\t0.1\n")
    reach = read(tmp_path)
    assert reach.of("focused/a.py", 3) == ["t.py::two", "t.py::one"]
    assert reach.of("focused/a.py", 9) == ["t.py::two"]
    assert reach.of("focused/a.py", 0) == ["t.py::two", "t.py::one"]
    assert reach.of("focused/b.py", 0) == []
