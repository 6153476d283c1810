"""``benchmarks/trap_sites.py``: its sites, made of a few texts by hand in place of packages' descriptions."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

# Last: some of its modules are called as some of the tests'.
sys.path.append(str(Path(__file__).resolve().parent.parent / "benchmarks"))

from site_makers.items import Item, read
from site_makers.journal import Journal
from site_makers.serving import served
from site_makers.shop import Shop
from site_makers.site import N_EXAMPLES, tally
from site_makers.stories import Stories
from site_makers.threads import Threads
from site_makers.wiki import Wiki
from web_makers.pages import links_of
from web_makers.sources import Sources

SITES = (Stories, Threads, Shop, Wiki, Journal)


def a_site(kind, seed=1, *, has_traps=True):
    sections = [*[kind.topic] * 3, *kind.others, "fonts"]
    items = [
        Item(
            sections[n % len(sections)], f"Thing {n} of {sections[n % len(sections)]}", (f"It does {n}. " * 30, "More.")
        )
        for n in range(2000)
    ]
    return kind(items, seed, has_traps=has_traps)


def reached(site, most=1500):
    """Return the pages that lead from the front page on, the nearest first."""
    pages, waiting = {}, ["/"]
    while waiting and len(pages) < most:
        url = waiting.pop(0)
        if url not in pages:
            pages[url] = site.page(url)
            waiting += links_of(pages[url])
    return pages


@pytest.fixture(scope="module", params=SITES, ids=lambda kind: kind.name)
def site(request):
    return a_site(request.param)


@pytest.fixture(scope="module")
def pages(site):
    return reached(site)


@pytest.fixture(scope="module")
def honest(site):
    """The pages of the same site without traps."""
    return reached(a_site(type(site), has_traps=False))


def test_the_same_seed_gives_the_same_pages_and_another_seed_others(site, pages):
    again, other = (a_site(type(site), seed) for seed in (1, 2))
    assert {url: again.page(url) for url in pages} == pages
    assert other.page("/") != pages["/"]
    assert again.examples() == site.examples()
    assert len(site.examples()) == N_EXAMPLES


def test_the_truth_knows_each_url_that_a_page_links_to(site, pages):
    known = {site.item_kind, *site.honest, *site.traps}
    assert {site.kind(target) for body in pages.values() for target in links_of(body)} <= known


def test_each_kind_of_trap_is_linked_from_an_honest_page(site, honest):
    kinds = set()
    for target in {target for url in honest for target in links_of(site.page(url))}:
        is_item_again = site.kind(target) == site.item_kind and "?" in target
        kinds.add(site.repeats(target) if is_item_again else site.kind(target))
    assert site.traps <= kinds


def test_without_traps_items_are_reached_and_no_trap(site, honest):
    found = tally(site, honest)
    assert found.n_traps == 0
    assert found.n_relevant > 0.99 * site.n_items[0]


def test_an_item_counts_once_and_is_a_trap_when_it_comes_again(site, pages):
    url = next(url for url in pages if site.kind(url) == site.item_kind and site.is_relevant(site.number(url)))
    found = tally(site, ["/", url, f"{url}{'&' if '?' in url else '?'}utm_source=x"])
    assert (found.n_pages, found.n_relevant, found.n_traps) == (3, 1, 1)
    assert found.harvest_of_the_rest == 0.5


def test_the_shop_shows_its_last_products_again_on_pages_beyond_the_last():
    shop = a_site(Shop)
    items = [set(links_of(shop.page(f"/c/0/?page={page}"))) for page in (1, 9, 10)]
    products = [{url for url in found if shop.kind(url) == "product" and "?" not in url} for found in items]
    assert [shop.kind(f"/c/0/?page={page}") for page in (1, 9, 10)] == ["shelf", "shelf", "beyond"]
    assert products[2]
    assert products[2] <= products[1] | {url for url in links_of(shop.page("/c/0/?page=8"))}
    assert not products[2] & products[0]


def test_a_site_is_served_and_what_it_lacks_is_not_found():
    shop = a_site(Shop)
    with served(shop) as front:
        assert urllib.request.urlopen(f"{front}p/1?colour=red").read() == shop.page("/p/1?colour=red")
        for missing in ("robots.txt", "nothing"):
            with pytest.raises(urllib.error.HTTPError, match="404") as error:
                urllib.request.urlopen(f"{front}{missing}")
            error.value.close()


def test_items_are_the_packages_that_are_described_at_length(tmp_path):
    lists = tmp_path / "lists"
    lists.mkdir()
    said = {"long": "Says much. " * 30, "same": "Says much. " * 30, "short": "Says little."}
    (lists / "x_Packages").write_text("\n".join(f"Package: {name}\nSection: contrib/net\n" for name in said))
    (lists / "x_Translation-en").write_text(
        "\n".join(
            f"Package: {name}\nDescription-en: A {name} one\n {text}\n .\n And more.\n" for name, text in said.items()
        )
    )
    (lists / "x_Components-amd64.yml").write_text("---\n")
    assert read(Sources(tmp_path, tmp_path)) == [Item("net", "A long one", (said["long"].strip(), "And more."))]
