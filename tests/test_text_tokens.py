"""Codes of tokens looked up for a whole text at once, against a dict asked for one token after the other."""

from __future__ import annotations

import random

import pytest

from focused.method.text import tokens
from focused.method.text.tokens import SEPARATOR, TokenCodes


class Numbering:
    """Numbers tokens as they come, and keeps count of how often it is asked."""

    def __init__(self) -> None:
        self.numbers: dict[bytes, int] = {}
        self.n_asked = 0

    def __call__(self, token: bytes) -> int:
        self.n_asked += 1
        return self.numbers.setdefault(token, len(self.numbers))


def text_of(draw: random.Random, n_tokens: int, n_different: int) -> bytes:
    """Tokens of 1 to 20 bytes, most of them again and again, with one or more separators between them."""
    known = [bytes(draw.randrange(1, 256) for _ in range(draw.randint(1, 20))) for _ in range(n_different)]
    return b"".join(draw.choice(known) + SEPARATOR * draw.randint(1, 3) for _ in range(n_tokens))


@pytest.mark.parametrize("seed", range(3))
def test_each_token_has_its_own_code_wherever_it_stands(seed):
    draw = random.Random(seed)
    ask = Numbering()
    codes = TokenCodes(ask, 10**6)
    for _ in range(10):
        text = text_of(draw, draw.randrange(20_000), 3_000)
        expected = [ask.numbers.get(token) for token in text.split(SEPARATOR) if token]
        found = codes.of_text(text).tolist()
        assert found == [ask.numbers[token] for token in text.split(SEPARATOR) if token]
        assert all(before is None or before == now for before, now in zip(expected, found, strict=True))
    assert ask.n_asked == len(ask.numbers) == len(codes)


@pytest.mark.parametrize("text", [b"", b"\0", b"\0\0\0", b"a", b"\0a", b"a\0", b"a\0b", b"\0a\0\0b\0"])
def test_separators_at_the_ends_make_no_token(text):
    assert len(TokenCodes(Numbering(), 10).of_text(text)) == len([token for token in text.split(SEPARATOR) if token])


@pytest.mark.parametrize("length", [191, 192, 193, 32_765, 32_766, 32_767, 32_768, 32_769, 100_000])
@pytest.mark.parametrize("before", [b"", b"x\0", b"x\0" * 16_380])
def test_no_token_is_cut_however_long_it_is(length, before):
    ask = Numbering()
    text = before + b"y" * length + SEPARATOR + b"z"
    assert TokenCodes(ask, 100).of_text(text).tolist() == [ask.numbers[token] for token in text.split(SEPARATOR)]
    assert list(ask.numbers) == ([b"x"] if before else []) + [b"y" * length, b"z"]


def test_endless_tokens_are_not_remembered():
    ask = Numbering()
    codes = TokenCodes(ask, 100)
    for _ in range(3):
        codes.of_text(b"y" * 193)
    assert (len(codes), ask.n_asked) == (0, 3)


def test_a_full_memory_forgets_and_asks_again():
    ask = Numbering()
    codes = TokenCodes(ask, 10)
    text = SEPARATOR.join(b"%d" % number for number in range(25))
    assert codes.of_text(text).tolist() == codes.of_text(text).tolist() == list(range(25))
    assert 0 < len(codes) <= 10


def test_tokens_that_meet_in_one_slot_are_told_apart(monkeypatch):
    monkeypatch.setattr(tokens, "_FIRST_BITS", 3)
    ask = Numbering()
    codes = TokenCodes(ask, 10**6)
    text = SEPARATOR.join(b"%d" % number for number in range(5_000))
    assert codes.of_text(text).tolist() == codes.of_text(text).tolist() == list(range(5_000))
    assert ask.n_asked == 5_000


def test_reversed_and_shifted_tokens_differ():
    ask = Numbering()
    text = b"ab\0ba\0aab\0aba\0baa\0a\0b\0abab\0ab"
    assert TokenCodes(ask, 100).of_text(text).tolist() == [0, 1, 2, 3, 4, 5, 6, 7, 0]
