from __future__ import annotations

from focused.frontier.robots_cache import RobotsCache


def cache(**options) -> tuple[RobotsCache[bytes], list[bytes]]:
    """A cache whose rules are the text itself, and what it has parsed."""
    parsed: list[bytes] = []

    def parse(text: bytes) -> bytes:
        parsed.append(text)
        return text

    return RobotsCache(parse, **options), parsed


def test_a_robots_txt_holds_for_its_age_and_an_old_one_until_it_can_be_read_again():
    robots, _ = cache(max_age_secs=100.0)
    assert robots.get("http://h") is None
    robots.put("http://h", b"rules", 1000.0)
    assert not robots.is_stale("http://h", 1099.0)
    assert robots.is_stale("http://h", 1100.0)
    assert robots.get("http://h") == b"rules"
    robots.keep_for_now("http://h", 1100.0)
    assert not robots.is_stale("http://h", 1199.0)


def test_memory_is_bounded_and_those_go_first_that_were_not_asked_for_longest():
    robots, _ = cache(max_bytes=3_500)
    for number in range(10):
        robots.put(f"http://h{number}", b"", 0.0)
    assert robots.get("http://h0") == b""
    robots.put("http://h10", b"", 0.0)
    robots.put("http://h11", b"", 0.0)
    assert robots.get("http://h0") == b""
    assert robots.get("http://h1") is None
    assert len(robots) == 11
    robots.put("http://large", bytes(range(256)) * 40_000, 0.0)
    assert robots.get("http://large") is not None
    assert len(robots) < 12


def test_few_texts_are_kept_parsed_and_all_of_them_packed():
    robots, parsed = cache()
    texts = [bytes([number]) * 400_000 for number in range(4)]
    for number, text in enumerate(texts):
        robots.put(f"http://h{number}", text, 0.0)
    assert parsed == texts
    assert robots.get("http://h3") == texts[3]
    assert len(parsed) == 4
    assert robots.get("http://h0") == texts[0]
    assert len(parsed) == 5
