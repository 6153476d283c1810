from __future__ import annotations

from types import SimpleNamespace

import pytest

from focused.retraining.judged_pages import JudgedPage, LinkTexts
from focused.retraining.words_met import NoWordMetError, train_words_on_pages_met


def test_of_pages_without_words_nothing_is_learnt_though_links_to_them_hold_the_topics_words():
    topic = SimpleNamespace(examples=object(), keyword_terms=["comet"])
    link = LinkTexts(0, anchor={"comet": 1})
    pages = [JudgedPage(number, f"http://h.example/{number}", 0.1, 1, 1, False, {}, link) for number in range(20)]
    with pytest.raises(NoWordMetError, match="No page with words was met"):
        train_words_on_pages_met(topic, pages)
