"""What the strategies are compared with: chance and knowledge."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import hand_made
import numpy as np
import pytest
from commands import ROOT

from focused.method.page.reader import PageReader
from focused.method.scoring import REASONS, Visit
from focused.method.strategies import CHOICES, STRATEGIES, make_strategy
from focused.method.text.analyzer import Analyzer
from focused.method.topic.judge import PageRelevance

NOTHING = PageRelevance(0.5, True, np.zeros(1), np.zeros(0), np.zeros(0), {})
PROGRAM = """
import sys
sys.path.insert(0, "tests")
from test_strategies_references import random_scores
print(random_scores(7, 5))
"""


def page_of(n_links: int):
    links = "".join(f"<a href=/{number}>link</a> " for number in range(n_links))
    return PageReader(Analyzer("en")).read(f"<p>{links}</p>".encode(), "http://h.org/")


def random_scores(seed: int, n_links: int) -> list[float]:
    return make_strategy("random", seed=seed).score(page_of(n_links), NOTHING, Visit()).scores.tolist()


def oracle_file(folder, content: object):
    path = folder / "oracle.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return str(path)


def test_references_are_no_choices():
    assert {name for name, kind in STRATEGIES.items() if kind.is_reference} == {"random", "oracle"}
    assert set(STRATEGIES) - set(CHOICES) == {"random", "oracle"}


def test_random_scores_are_spread_over_the_range_and_fixed_by_the_seed():
    scores = np.array(random_scores(0, 2000))
    counts, _ = np.histogram(scores, bins=10, range=(0, 1))
    assert counts.sum() == 2000
    assert counts.min() > 140  # 200 expected, standard deviation 13
    assert scores.tolist() == random_scores(0, 2000)
    assert abs(np.corrcoef(scores, random_scores(1, 2000))[0, 1]) < 0.1


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_random_scores_are_the_same_in_every_process(hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    out = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout
    assert json.loads(out) == random_scores(7, 5)


def test_the_oracle_says_what_its_file_says_and_knows_nothing_of_other_links(tmp_path):
    path = oracle_file(tmp_path, {"http://h.org/0": 1, "http://h.org/2": 0.25, "http://h.org/3": 0})
    oracle = make_strategy("oracle", {"FOCUSED_ORACLE_FILE": path}).prepare(hand_made.topic())
    found = oracle.score(page_of(4), NOTHING, Visit())
    assert found.scores.tolist() == [1.0, 0.0, 0.25, 0.0]
    assert [REASONS[reason] for reason in found.reasons] == ["labels", "below threshold", "labels", "labels"]


def test_an_oracle_without_a_file_is_refused():
    with pytest.raises(ValueError, match="FOCUSED_ORACLE_FILE must name a JSON file"):
        make_strategy("oracle").prepare(hand_made.topic())


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("[1, 2]", "holds a list"),
        ("{", "is no JSON"),
        ("[" * 100_000, "is no JSON"),
        ('{"http://h.org/": 1.5}', "says 1.5 of http://h.org/"),
        ('{"http://h.org/": NaN}', "says nan"),
        ('{"http://h.org/": "1"}', "says '1'"),
        ('{"http://h.org/": true}', "says True"),
        ("\x00", "is no JSON"),
    ],
)
def test_an_oracle_s_bad_file_is_refused(tmp_path, content, complaint):
    path = oracle_file(tmp_path, content)
    with pytest.raises(ValueError, match="FOCUSED_ORACLE_FILE must name") as refused:
        make_strategy("oracle", file=path).prepare(hand_made.topic())
    assert complaint in str(refused.value)
    assert path in str(refused.value)


def test_an_oracle_s_missing_file_is_refused(tmp_path):
    with pytest.raises(ValueError, match="cannot be read: No such file"):
        make_strategy("oracle", file=str(tmp_path / "none.json")).prepare(hand_made.topic())
