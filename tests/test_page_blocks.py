"""What holds for the content blocks of any page."""

from __future__ import annotations

import random

import pytest
from pages import blocks_of, page_of

from focused.method.page.blocks import heights

LISTS = "<ul><li>alpha<ul><li><a href=x>beta</a><ul><li>gamma</ul></ul></ul>"


def test_own_text_of_a_split_node_is_one_block_in_several_pieces():
    page = page_of("<body>before <p><a href=1>one</a></p> between <p><a href=2>two</a></p> behind")
    assert blocks_of(page) == ["before between behind", "one", "two"]
    assert page.text.splitlines() == ["before", "one", "between", "two", "behind"]


def test_an_anchor_without_target_splits_nothing():
    assert blocks_of(page_of("<body><div><p>text <a name=x>anchor</a></p><p>more</p></div>")) == ["text anchor more"]


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        # Heights: body 3, outer div 2, inner div 1, p 0. The last is never split: there is no block tag in it.
        (0.0, ["top", "outer", "more", "inner link"]),
        (0.6, ["top", "outer", "more inner link"]),
        (0.9, ["top", "outer more inner link"]),
    ],
)
def test_a_node_is_split_from_its_share_alpha_of_the_height_on(alpha, expected):
    html = "<h1>top</h1><div><p>outer</p><div><h2>more</h2><p>inner <a href=x>link</a></p></div></div>"
    assert blocks_of(page_of(html, alpha=alpha)) == expected


def test_nested_lists_form_one_block_below_half_of_the_height():
    page = page_of(f"<body>{'<div>' * 13}{LISTS}{'</div>' * 13}<p>end</p>")
    assert blocks_of(page) == ["alpha beta gamma", "end"]


def test_a_refresh_of_a_page_that_is_split_stands_in_a_block_without_text():
    page = page_of("<meta http-equiv=refresh content='0;next'><body><p>a <a href=x>b</a></p><p>c</p>")
    block = page.anchor_blocks[page.links[-1].anchors[0]]
    assert page.links[-1].url.endswith("/next")
    assert [page.block_text(block), *blocks_of(page)] == ["", "a b", "c", ""]


def random_html(rng: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(rng.randint(1, 4)):
        number = rng.randrange(10**6)
        kind = rng.randrange(8)
        if kind < 3 and depth < 7:
            tag = rng.choice("div p table td ul li span b section text center h2 font".split())
            parts.append(f"<{tag}>{random_html(rng, depth + 1)}</{tag}>")
        elif kind < 5:
            parts.append(f' <a href="p{number}">anchor{number}</a> ')
        elif kind == 5:
            parts.append(f'<map><area href="p{number}" alt="area{number}"></map>')
        else:
            parts.append(f" word{number} ")
    return "".join(parts)


@pytest.mark.parametrize("seed", range(60))
def test_blocks_are_disjoint_and_hold_the_whole_text_and_every_link(seed):
    rng = random.Random(seed)
    html = random_html(rng)
    page = page_of(f"<body>{html}", alpha=rng.choice([0, 0.3, 0.5, 1]), min_links=rng.choice([1, 1, 2, 4]))
    chunks = page.marked_text.chunks
    covered = [chunk for first, last, _ in page.blocks.segments for chunk in range(first, last)]
    assert covered == sorted(set(covered))
    assert set(covered) >= {chunk for chunk in range(2, len(chunks)) if chunks[chunk].strip()}
    block_of = {chunk: block for first, last, block in page.blocks.segments for chunk in range(first, last)}
    assert len(page.anchors) == html.count("href=")
    for node, block in zip(page.anchors, page.anchor_blocks, strict=True):
        own = range(page.outline.first_chunk[node], page.outline.last_chunk[node])
        assert own
        assert {block_of[chunk] for chunk in own} == {block}
    assert sorted(" ".join(blocks_of(page)).split()) == sorted(page.text.split())


@pytest.mark.parametrize("seed", range(20))
def test_heights_and_link_counts_are_those_of_a_plain_recursion(seed):
    from lxml import html as lxml_html

    from focused.method.page.tags import MODERN_BLOCK_TAGS

    # Phrase elements are nodes only where they hold some: one tag of each kind keeps both trees alike.
    source = random_html(random.Random(seed)).replace("<b>", "<section>").replace("</b>", "</section>")
    for phrase in ("span", "font"):
        source = source.replace(f"<{phrase}>", "<text>").replace(f"</{phrase}>", "</text>")
    outline = page_of(f"<body>{source}").outline
    tree = lxml_html.document_fromstring(f"<body>{source}")

    def height(element):
        return max(((child.tag in MODERN_BLOCK_TAGS) + height(child) for child in element), default=0)

    elements = list(tree.iter())
    assert heights(outline) == [height(element) for element in elements]
    assert outline.n_links.tolist() == [sum("href" in inner.attrib for inner in element.iter()) for element in elements]
    assert outline.end.tolist() == [number + sum(1 for _ in element.iter()) for number, element in enumerate(elements)]
