from __future__ import annotations

import numpy as np
from test_page_near_copies import prose, reader, sketch_of

from focused.method.page.excerpts import FRAME_PAGES, ExcerptIndex


def kept(own, words):
    return sketch_of(own, words).kept


def test_an_excerpt_is_found_in_its_original_and_says_nothing_new():
    own, index = reader(), ExcerptIndex()
    texts = [[f"word{seed}x{number}q" for number in range(300)] for seed in range(20)]
    for row, words in enumerate(texts):
        found = index.find(kept(own, words))
        assert (found.row, found.new_share) == (None, 1.0)
        index.add(found, row)
    for row, words in enumerate(texts):
        found, new_share, *_ = index.find(kept(own, ["reply", *words[40:80], "site"]))
        assert found == row
        assert new_share < 0.3


def test_a_list_of_teasers_is_no_excerpt_of_one_page_and_is_known_for_its_parts():
    own, index = reader(), ExcerptIndex()
    texts = [[f"word{seed}x{number}q" for number in range(300)] for seed in range(6)]
    for row, words in enumerate(texts):
        index.add(index.find(kept(own, words)), row)
    found, new_share, *_ = index.find(kept(own, [word for words in texts for word in words[:20]]))
    assert found is None
    assert new_share < 0.3


def test_a_page_that_is_mostly_the_frame_of_its_site_is_no_excerpt():
    own, index = reader(), ExcerptIndex()
    frame = [f"frame{number}q" for number in range(80)]
    for row in range(2 * FRAME_PAGES):
        index.add(index.find(kept(own, frame + prose(row, 200))), row)
    assert index.find(kept(own, [*frame, "new", "words", "here"])).row is None


def test_a_story_is_no_excerpt_of_its_teaser():
    own, index = reader(), ExcerptIndex()
    words = [f"word{number}q" for number in range(300)]
    index.add(index.find(kept(own, words[:40])), 0)
    found, new_share, *_ = index.find(kept(own, words))
    assert found is None
    assert new_share > 0.8


def test_a_text_quoted_elsewhere_is_still_known_for_its_own_page():
    """A page that quotes others may come before them: then it had their words first."""
    own, index = reader(), ExcerptIndex()
    texts = [[f"word{seed}x{number}q" for number in range(60)] for seed in range(6)]
    index.add(index.find(kept(own, [word for words in texts for word in words[:30]])), 0)
    index.add(index.find(kept(own, texts[3])), 1)
    assert index.find(kept(own, texts[3][:40])).row == 1


def test_a_text_without_kept_triples_is_new():
    assert ExcerptIndex().find(np.zeros(0, dtype=np.uint32))[:2] == (None, 1.0)


def test_pages_whose_rows_are_taken_again_are_forgotten_and_the_frame_is_not():
    own, index = reader(), ExcerptIndex()
    frame = [f"frame{number}q" for number in range(80)]
    texts = [[f"word{seed}x{number}q" for number in range(300)] for seed in range(12)]
    for row, words in enumerate(texts):
        index.add(index.find(kept(own, frame + words)), row)
    index.forget(3, 4)
    for row, words in enumerate(texts):
        found = index.find(kept(own, words[40:80]))
        assert (found.row, found.new_share > 0.9) == ((None, True) if 3 <= row < 7 else (row, False))
    assert index.find(kept(own, frame))[:2] == (None, 0.0)


def test_a_page_that_quotes_one_which_is_forgotten_is_known_for_its_words():
    own, index = reader(), ExcerptIndex()
    words = [f"word{number}q" for number in range(300)]
    index.add(index.find(kept(own, words[:100])), 0)
    index.add(index.find(kept(own, words)), 1)
    index.forget(0, 1)
    assert index.find(kept(own, words[20:60])).row == 1
