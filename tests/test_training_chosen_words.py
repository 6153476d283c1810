"""The words that an evaluation chooses from positives, in place of a user's."""

from __future__ import annotations

import random

import pytest

from focused.method.page.reader import PageReader
from focused.method.text.analyzer import Analyzer
from focused.method.text.background import load_background
from focused.method.training.chosen_words import N_WORDS, choose_words
from focused.method.training.from_keywords import read_keywords

BEES = (
    "The keeper smokes the hive before lifting a frame of honey.",
    "A queen lays eggs in the comb, and drones leave the hive in autumn.",
    "Nectar becomes honey when workers fan the comb of the hive.",
    "A swarm follows its queen from the hive to a hollow tree.",
    "Pollen and nectar feed the brood; wax seals the comb of honey.",
    "The smoker calms drones and workers while the beekeeper takes wax, says Smith.",
    "Write to honey@hive.example about swarms, says Smith of the apiary.",
    "In winter the workers keep the queen and her brood warm, says Smith.",
)


def words(texts=BEES, label="Insects", language="en") -> list[str]:
    analyzer = Analyzer(language)
    reader = PageReader(analyzer)
    pages = [
        reader.read(
            b"<html><head><title>Grunk</title><body><p>" + text.encode() + b"</p><div>Zworp flimp menu</div>"
            b"<p><a href='/x'>quibble wobble</a></p></body></html>",
            f"http://bees.example/{n}",
            "text/html",
        )
        for n, text in enumerate(texts)
    ]
    return choose_words(pages, label, analyzer, load_background())


def test_six_words_are_chosen_that_a_user_can_type():
    chosen = words()
    assert len(chosen) == len(set(chosen)) == N_WORDS == 6
    assert {"hive", "honey", "comb"} <= set(chosen)
    assert read_keywords(" ".join(chosen), "en").words == chosen


def test_the_same_pages_in_any_order_give_the_same_words():
    shuffled = list(BEES)
    random.Random(3).shuffle(shuffled)
    assert shuffled != list(BEES)
    assert words(shuffled) == words()


@pytest.mark.parametrize("label", ["Honey and Hives", "honeyhive", "topic HIVE honey"])
def test_no_word_of_the_label_is_chosen(label):
    chosen = words(label=label)
    assert {"honey", "hive", "hives"}.isdisjoint(chosen)
    assert "comb" in chosen


def test_titles_links_names_and_what_all_pages_share_are_no_words():
    many = [f"{text} {'Smith ' * 3}" for text in BEES]
    assert {"zworp", "flimp", "menu", "quibble", "wobble", "grunk", "smith"}.isdisjoint(words(many))


def test_pages_without_a_word_are_refused():
    with pytest.raises(ValueError, match="no word to start from"):
        words(["The and of."] * 3, label="zworp flimp menu")


def test_pages_that_say_all_the_same_still_give_words():
    assert "honey" in words(BEES[:1] * 4)
