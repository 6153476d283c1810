"""Hosts that repeat another one page by page stand back; hosts that share a page or two do not."""

from __future__ import annotations

from focused.frontier.mirrors import Mirrors
from focused.method.scoring.priority import LEVELS


def mirrored(n_pages: int) -> Mirrors:
    """A host, and pages of another one that repeat it under the same paths."""
    mirrors = Mirrors()
    for n in range(n_pages):
        mirrors.add_page(f"http://first.example/{n}?x=1", "")
        mirrors.add_page(f"https://mirror.example:8443/{n}?x=1", f"http://first.example/{n}?x=1")
    return mirrors


def test_the_host_met_later_is_the_mirror_from_its_third_page_on_wherever_a_text_was_met_first():
    assert mirrored(2).levels("mirror.example") == 0
    mirrors = mirrored(2)
    mirrors.add_page("http://mirror.example/new", "")
    mirrors.add_page("http://first.example/new", "http://mirror.example/new")
    assert mirrors.original == {"mirror.example": "first.example"}
    assert mirrors.levels("mirror.example") == LEVELS
    assert mirrors.levels("first.example") == mirrors.levels("other.example") == 0


def test_of_several_mirrors_all_but_the_first_host_stand_back():
    mirrors = Mirrors()
    for n in range(12):
        hosts = [f"http://{name}.example/{n}" for name in ("a", "b", "c")]
        hosts = hosts[n % 3 :] + hosts[: n % 3] if n else hosts
        for number, url in enumerate(hosts):
            mirrors.add_page(url, hosts[0] if number else "")
    assert set(mirrors.original) == {"b.example", "c.example"}


def test_copies_under_other_paths_make_no_mirror():
    mirrors = Mirrors()
    for n in range(9):
        mirrors.add_page(f"http://first.example/{n}", "")
        mirrors.add_page(f"http://other.example/archive/{n}", f"http://first.example/{n}")
        mirrors.add_page(f"http://first.example/again/{n}", f"http://first.example/{n}")
    assert not mirrors.original


def test_blogs_of_one_house_that_share_its_terms_and_no_more_are_no_mirrors():
    mirrors, shared = Mirrors(), ["/terms", "/privacy", "/login", "/help"]
    pages = [(f"/{n}", False) for n in range(20)]
    order = [*((path, True) for path in shared[:2]), *pages, *((path, True) for path in shared[2:])]
    for path, is_shared in order:
        mirrors.add_page(f"http://ann.example{path}", "")
        mirrors.add_page(f"http://bob.example{path}", f"http://ann.example{path}" if is_shared else "")
    assert not mirrors.original


def test_a_host_that_says_other_things_than_it_did_is_no_mirror_any_more():
    mirrors = mirrored(5)
    assert mirrors.levels("mirror.example")
    for n in range(100, 103):
        mirrors.add_page(f"http://first.example/{n}", "")
        mirrors.add_page(f"http://mirror.example/{n}", "")
    assert not mirrors.original


def test_a_thousand_subdomains_with_one_text_cost_little_memory_and_broken_urls_nothing():
    mirrors = Mirrors()
    for n in range(1000):
        mirrors.add_page(f"http://s{n}.farm.example/", "http://s0.farm.example/" if n else "")
    assert not mirrors.original
    assert len(mirrors._pairs) <= 8
    mirrors.add_page("http://[::1", "http://[::2")
    mirrors.add_page("", "")
