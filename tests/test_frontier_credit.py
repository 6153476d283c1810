from __future__ import annotations

import pytest

from focused.frontier.credit import Credit
from focused.frontier.idle_parameters import TIMES, IdleParameters
from focused.frontier.url_groups import groups_of
from focused.method.scoring.priority import LEVELS


def crawled(pages, share: float = 0.2) -> Credit:
    """Pages as (URL, copy of, referrer, relevant)."""
    credit = Credit(share)
    for page in pages:
        credit.add_page(*page)
    return credit


def honest(n: int):
    """A seed, and pages of ten domains, half of them relevant."""
    yield "http://seed.example/", "", "", False
    for number in range(n):
        yield f"http://www.site{number % 10}.example/a/{number}.html", "", "http://seed.example/", number % 20 < 10


def test_a_folder_of_copies_sinks_and_its_sisters_do_not():
    credit = crawled([*honest(50), *((f"http://h.example/news/{n}.html", "", "", True) for n in range(10))])
    for n in range(10):
        credit.add_page(
            f"http://h.example/events/2024/{n}/", "http://h.example/events/2023/1/", "http://h.example/", False
        )
    assert credit.link_levels("http://h.example/events/1999/7/", "http://h.example/") > LEVELS / 2
    assert credit.link_levels("http://h.example/news/77.html", "http://h.example/") < LEVELS / 10
    assert credit.link_levels("http://www.site3.example/b/", "") == 0


def test_one_copy_condemns_no_host():
    credit = crawled([*honest(50), ("http://h.example/a.html", "http://site1.example/", "", False)])
    assert credit.link_levels("http://h.example/b.html", "") < LEVELS / 4


def test_a_group_that_says_new_things_again_rises():
    copies = [(f"http://h.example/a/{n}", "http://h.example/a/0", "", False) for n in range(20)]
    credit = crawled(copies)
    low = credit.link_levels("http://h.example/a/x", "")
    for n in range(100, 140):
        credit.add_page(f"http://h.example/a/{n}", "", "", True)
    assert credit.link_levels("http://h.example/a/x", "") < low / 4


def test_pages_of_one_kind_in_a_folder_with_others_sink_alone():
    credit = crawled([*honest(50), *((f"http://h.example/wiki/Sun_{n}", "", "", True) for n in range(10))])
    for n in range(10):
        credit.add_page(f"http://h.example/wiki/Talk:Sun_{n}", "", "", False, newness=0.0)
    assert credit.link_levels("http://h.example/wiki/Talk:Moon", "") > LEVELS / 2
    assert credit.link_levels("http://h.example/wiki/Moon", "") < LEVELS / 3


def test_threads_do_not_sink_with_their_posts_which_have_the_same_parameters_and_one_more():
    credit = crawled(honest(50))
    for n in range(30):
        credit.add_page(f"http://h.example/topic.php?f=1&t={n}", "", "", True)
        for post in range(3):
            url = f"http://h.example/topic.php?f=1&t={n}&p={post}"
            credit.add_page(url, f"http://h.example/topic.php?f=1&t={n}", "", False)
    assert credit.link_levels("http://h.example/topic.php?f=1&t=77&p=0", "") > LEVELS / 2
    assert credit.link_levels("http://h.example/topic.php?f=1&t=77", "") == 0


def test_numbered_pages_of_one_kind_in_a_folder_of_each_page_sink_and_those_pages_do_not():
    posts = [f"http://h.example/2024/05/{n}/{word}-{n}" for n, word in enumerate(("sun", "moon", "star", "rain") * 3)]
    credit = crawled([*honest(50), *((post, "", "", True) for post in posts)])
    for n, post in enumerate(posts):
        credit.add_page(f"{post}/gallery/{n}", "", post, False, newness=0.0)
    assert credit.link_levels("http://h.example/2023/11/30/snow-7/gallery/3", "") > LEVELS / 2
    assert credit.link_levels("http://h.example/2023/11/30/snow-7", "") < LEVELS / 3


def test_pages_of_one_name_behind_each_item_sink_and_the_items_do_not():
    items = [f"http://h.example/work/{word}-{n}" for n, word in enumerate(("sun", "moon", "star", "rain") * 3)]
    credit = crawled([*honest(50), *((item, "", "", True) for item in items)])
    for n, item in enumerate(items[:6]):
        credit.add_page(f"{item}/zoom/{n}", "", item, False, newness=0.0)
    assert credit.link_levels("http://h.example/work/snow-77/zoom/3", "") > LEVELS / 2
    assert credit.link_levels("http://h.example/work/snow-77", "") < LEVELS / 10
    assert credit.link_levels("http://h.example/work/snow-77/essay", "") < LEVELS / 10


def test_pages_of_one_name_that_bring_much_lift_no_folder():
    credit = crawled([*honest(50), *((f"http://h.example/a/{word}/about", "", "", True) for word in "abcdefgh")])
    for n in range(12):
        credit.add_page(f"http://h.example/a/print/{n}", "", "", False, newness=0.0)
    assert credit.link_levels("http://h.example/a/print/about", "") > LEVELS / 2


def test_pages_about_a_page_in_other_folders_say_nothing_of_the_page():
    credit = crawled([*honest(50), *((f"http://h.example/wiki/{word}", "", "", True) for word in "abcdefgh")])
    for folder in ("edit", "talk", "history", "print"):
        credit.add_page(f"http://h.example/{folder}/Sun_spots", "", "", False, newness=0.0)
    assert credit.link_levels("http://h.example/wiki/Sun_spots", "") < LEVELS / 10


def test_folders_of_hashes_sink_together_and_that_of_a_name_beside_them_does_not():
    files = [f"http://h.example/blob/main/docs/{word}.md" for word in ("sun", "moon", "star", "rain") * 3]
    credit = crawled([*honest(50), *((each, "", "", True) for each in files)])
    for commit in ("3f2a9c1d", "07bc11e", "a1b2c3d4", "9e107d9d372bb6826bd81d3542a419d6"):
        for name in ("sun", "moon", "star"):
            credit.add_page(f"http://h.example/blob/{commit}/docs/{name}.md", "", "", False, newness=0.0)
    assert credit.link_levels("http://h.example/blob/5d41402abc4b/docs/snow.md", "") > LEVELS / 2
    assert credit.link_levels("http://h.example/blob/main/docs/snow.md", "") < LEVELS / 3


@pytest.mark.parametrize(
    "name", ["web3design1", "h2o2base", "cafe2024", "decade2", "mp3to4", "en-gb", "x86-64", "S01E02"]
)
def test_a_name_with_numbers_in_it_is_no_hash(name):
    shop, hashes = f"http://h.example/{name}/sun.html", "http://h.example/3f2a9c1d/sun.html"
    assert set(groups_of(shop)[2:]).isdisjoint(groups_of(hashes)[2:])


@pytest.mark.parametrize("archive", ["http://h.example/{}/{}/", "http://h.example/{}/{}"])
def test_archives_by_date_sink_and_the_posts_in_their_folders_do_not(archive):
    posts = [
        (f"http://h.example/2024/{n}/{word}-{n}", "", "", True) for n, word in enumerate(("sun", "moon", "rain") * 4)
    ]
    credit = crawled([*honest(50), *posts])
    for n in range(12):
        credit.add_page(archive.format(2024, n), "", "", False, newness=0.0)
    assert credit.link_levels(archive.format(2023, 11), "") > LEVELS / 2
    assert credit.link_levels("http://h.example/2023/11/snow-7", "") < LEVELS / 3


def test_a_parameter_that_brings_nothing_behind_many_paths_sinks_behind_others():
    credit = crawled([*honest(50), *((f"http://h.example/posts/{word}", "", "", True) for word in "abcdefgh")])
    for word in "abcdefgh":
        credit.add_page(f"http://h.example/posts/{word}?share=mail", "", "", False, newness=0.0)
    assert credit.link_levels("http://h.example/posts/other?share=mail", "") > LEVELS / 2
    assert credit.link_levels("http://h.example/posts/other", "") < LEVELS / 2


def test_a_link_found_on_a_copy_stands_half_a_scale_back():
    credit = crawled([*honest(50), ("http://site1.example/copy", "http://site2.example/a/2.html", "", False)])
    assert credit.link_levels("http://new.example/", "http://site1.example/copy") == LEVELS // 2
    assert credit.link_levels("http://new.example/", "http://site2.example/a/2.html") == 0


def test_a_domain_beyond_its_share_sinks_with_all_its_subdomains_until_others_have_caught_up():
    before = ["http://www.site1.example/", *(f"http://s{n}.farm.example/" for n in range(119))]
    farm = [(f"http://s{n}.farm.example/", "", referrer, True) for n, referrer in enumerate(before)]
    credit = crawled([*honest(80), *farm])
    assert credit.host_levels("new.farm.example") == 300
    assert credit.host_levels("www.site1.example") < LEVELS / 10
    for page in honest(600):
        credit.add_page(*page)
    assert credit.host_levels("new.farm.example") == 0
    assert crawled([*honest(80), *farm], share=0).host_levels("new.farm.example") == 0


def test_a_large_site_may_have_more_than_its_share_where_pages_of_others_lead_to_many_of_its_pages():
    large = [("http://large.example/", "", "http://www.site1.example/", True)]
    for n in range(120):
        from_outside = f"http://www.site{n % 10}.example/"
        large.append((f"http://large.example/{n}", "", "http://large.example/" if n % 30 else from_outside, True))
    assert crawled([*honest(80), *large]).host_levels("large.example") == 0
    irrelevant = [page if "site" not in page[2] else (*page[:3], False) for page in large]
    assert crawled([*honest(80), *irrelevant]).host_levels("large.example") == 300
    copies = [page if "site" not in page[2] else (page[0], "http://x.example/", *page[2:]) for page in large]
    assert crawled([*honest(80), *copies]).host_levels("large.example") == 300


def test_domains_that_one_link_led_to_do_not_recommend_each_other():
    ring = [("http://ring0.example/", "", "http://www.site1.example/", True)]
    for n in range(1, 241):
        ring.append((f"http://ring{n % 2}.example/{n}", "", f"http://ring{(n + 1) % 2}.example/", True))
    credit = crawled([*honest(80), *ring])
    assert credit.host_levels("ring0.example") == 300
    assert credit.host_levels("ring1.example") == 300


def test_the_domain_of_a_seed_does_not_sink():
    seed = ("http://named.example/", "", "", False)
    credit = crawled([*honest(80), seed, *((f"http://named.example/{n}", "", seed[0], False) for n in range(100))])
    assert credit.host_levels("www.named.example") == 0


def test_a_ring_of_domains_sinks_though_each_is_asked_for_little():
    credit = crawled(honest(200))
    credit.add_page("http://ring0.example/", "", "http://www.site1.example/", False)
    for n in range(1, 40):
        credit.add_page(f"http://ring{n}.example/", "", f"http://ring{n // 20}.example/", False)
    assert credit.link_levels("http://ring99.example/", "http://ring0.example/") > LEVELS / 10
    ring, by_site = (
        credit.link_levels("http://x.example/", f"http://{host}/") for host in ("ring0.example", "www.site1.example")
    )
    assert by_site < ring
    assert credit.link_levels("http://x.example/", "http://www.site2.example/") == 0


def test_where_little_is_relevant_no_host_is_written_off_soon():
    credit = Credit()
    for number, page in enumerate(honest(400)):
        credit.add_page(*page[:3], number % 20 == 0)
    for n in range(8):
        credit.add_page(f"http://poor.example/{n}", "", "http://www.site0.example/", False)
    assert credit.host_levels("poor.example") == 0


@pytest.mark.parametrize("url", ["", "http://[::1", "mailto:a@b", "http:///x", "http://h.example/?&&=&a"])
def test_no_url_raises(url):
    credit = crawled([(url, "", url, True), (url, url, "", False)])
    assert 0 <= credit.link_levels(url, url) <= LEVELS
    assert IdleParameters().note(url, url) is None
    assert isinstance(groups_of(url), tuple)


def test_a_parameter_that_only_copies_differ_by_is_idle():
    idle = IdleParameters()
    found = [
        idle.note(f"http://h.example/t.php?id=7&sid={n}", "http://h.example/t.php?id=7&sid=x") for n in range(TIMES)
    ]
    assert found == [None] * (TIMES - 1) + [("h.example", "", "sid")]
    assert idle.form("http://h.example/t.php?id=8&sid=9", "h.example") == "http://h.example/t.php?id=8"
    assert idle.form("http://other.example/t.php?sid=9", "other.example") == "http://other.example/t.php?sid=9"


def test_a_parameter_that_new_pages_differ_by_is_not_idle_for_some_copies():
    idle = IdleParameters()
    for n in range(6):
        assert idle.note(f"http://h.example/t.php?id={n}", "") is None
    for n in range(10, 16):
        assert idle.note(f"http://h.example/t.php?id={n}", "http://h.example/t.php?id=1") is None


def test_a_list_that_goes_on_beyond_its_end_says_nothing_of_the_next_list():
    idle = IdleParameters()
    for n in range(1, 5):
        assert idle.note(f"http://h.example/news?page={n}", "") is None
    found = [idle.note(f"http://h.example/news?page={n}", "http://h.example/news?page=5") for n in range(6, 20)]
    assert [each for each in found if each] == [("h.example", "/news", "page")]
    assert idle.form("http://h.example/news?page=30&a=1", "h.example") == "http://h.example/news?a=1"
    assert idle.form("http://h.example/blog?page=2", "h.example") == "http://h.example/blog?page=2"
    for n in range(1, 4):  # the last page of the next list is that of the first
        idle.note(f"http://h.example/blog?page={n}", "")
    found = [idle.note(f"http://h.example/blog?page={n}", "http://h.example/news?page=5") for n in range(4, 14)]
    assert [each for each in found if each] == [("h.example", "/blog", "page")]
    # Copies of many pages of another path say nothing of the pages that were not fetched yet.
    for n in range(40):
        page = f"http://h.example/t.php?id={n}"
        assert idle.note(page, f"http://h.example/static/{n}.html" if n > 3 else "") is None
    for n in range(30):  # on any path it is idle if copies of many say so
        idle.note(f"http://h.example/{n}?page={n}", f"http://h.example/{n}?page=x")
    assert idle.of_host == {"h.example": frozenset({"page"})}


def test_a_folder_whose_texts_were_met_elsewhere_in_good_part_sinks_without_a_copy():
    credit = crawled(honest(50))
    for n in range(40):
        credit.add_page(f"http://h.example/compare/{n}", "", "http://h.example/", True, newness=0.3)
    assert LEVELS / 3 < credit.link_levels("http://h.example/compare/77", "http://h.example/") < LEVELS
    for n in range(40):
        credit.add_page(f"http://h.example/news/{n}", "", "http://h.example/", True, newness=0.9)
    assert credit.link_levels("http://h.example/news/77", "http://h.example/") == 0


def test_a_page_that_was_met_with_another_query_sinks_where_such_pages_say_little_new_and_one_not_met_does_not():
    credit = crawled(honest(50))
    for n in range(10):
        credit.add_page(f"http://h.example/p/{n}?from={n}", "", "http://h.example/", True)
        credit.add_page(f"http://h.example/p/{n}?from={n + 50}", "", "http://h.example/", True, newness=0.2)
    assert credit.link_levels("http://h.example/p/3?from=77", "") > LEVELS / 3
    assert credit.link_levels("http://h.example/p/77?from=77", "") < LEVELS / 5


def test_pages_of_one_path_that_say_new_things_do_not_sink():
    pages = ((f"http://h.example/topic.php?id={n}", "", "http://h.example/", True) for n in range(20))
    credit = crawled([*honest(50), *pages, ("http://h.example/x", "http://site1.example/", "", False)])
    assert credit.link_levels("http://h.example/topic.php?id=77", "") < LEVELS / 10
