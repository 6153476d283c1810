from __future__ import annotations

import random

import pytest

from tests.pages import blocks_of, page_of

MENU = '<ul><li><a href="1">one</a><li><a href="2">two</a></ul>'


def test_a_page_without_block_tags_is_one_block():
    page = page_of('plain <a href="x">link</a> text <b>and <a href="y">more</a></b>')
    assert blocks_of(page) == ["plain link text and more"]


def test_a_page_without_links_is_one_block():
    assert blocks_of(page_of("<div><p>one</p><div><p>two</p></div></div><p>three</p>")) == ["one two three"]


def test_a_page_without_anything_has_no_block():
    for html in ("", "<p></p>", "<div> <br> </div>"):
        page = page_of(html)
        assert page.n_blocks == 0
        assert page.text == ""


def test_own_text_of_a_split_node_is_one_block_in_several_pieces():
    page = page_of(f"<body>before {MENU} between {MENU} behind")
    # Blocks are numbered in the order they begin.
    assert blocks_of(page) == ["before between behind", "one two", "one two"]
    assert page.text.splitlines() == ["before", "one two", "between", "one two", "behind"]


def test_an_anchor_in_a_split_node_is_a_block_of_its_own():
    assert blocks_of(page_of('<body>text <a href="x">anchor</a> more <p>paragraph</p>')) == [
        "text more",
        "anchor",
        "paragraph",
    ]


def test_an_anchor_without_target_does_not_split():
    assert blocks_of(page_of('<body><div><p>text <a name="x">anchor</a></p><p>more</p></div>')) == ["text anchor more"]


@pytest.mark.parametrize(
    ("alpha", "expected"),
    [
        (0.0, ["top", "outer", "inner", "link"]),
        (0.5, ["top", "outer", "inner link"]),
        (0.9, ["top", "outer inner link"]),
    ],
)
def test_larger_alpha_means_fewer_blocks(alpha, expected):
    # Heights: body 3, the first div 2, the second div 1, p 0.
    html = '<body><h1>top</h1><div><p>outer</p><div><p>inner <a href="x">link</a></p></div></div>'
    if alpha == 0.9:
        # body (3 >= 2.7) is split, the first div (2 < 2.7) is not.
        assert blocks_of(page_of(html, alpha=alpha)) == expected
    elif alpha == 0.5:
        # 1.5: the first div (2) is split, too.
        assert blocks_of(page_of(html, alpha=alpha)) == expected
    else:
        assert blocks_of(page_of(html, alpha=alpha)) == expected


def test_k_is_the_number_of_links_a_child_must_hold():
    html = f"<body><div>{MENU}</div><div>{MENU}<p>text</p></div>"
    assert len(blocks_of(page_of(html, min_links=2))) == 2
    assert blocks_of(page_of(html, min_links=3)) == ["one two one two text"]


def test_the_tag_sets_differ_where_modern_tags_stand():
    html = f"<body><nav>{MENU}</nav><main>words <a href=x>link</a></main>"
    assert blocks_of(page_of(html)) == ["one two", "words link"]
    assert blocks_of(page_of(html, block_tags="paper")) == ["one two words link"]


def test_nested_lists_form_one_block_below_half_of_the_height():
    lists = '<ul><li>a<ul><li><a href="x">b</a><ul><li>c</ul></ul></ul>'
    page = page_of(f"<body>{'<div>' * 9}{lists}{'</div>' * 9}<p>end</p>")
    assert blocks_of(page) == ["a b c", "end"]


def _random_html(rng: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(rng.randint(1, 4)):
        number = rng.randrange(10**6)
        kind = rng.randrange(8)
        if kind < 3 and depth < 7:
            tag = rng.choice("div p table td ul li span b section text center h2 font".split())
            parts.append(f"<{tag}>{_random_html(rng, depth + 1)}</{tag}>")
        elif kind < 5:
            parts.append(f' <a href="p{number}">anchor{number}</a> ')
        elif kind == 5:
            parts.append(f'<map><area href="p{number}" alt="area{number}"></map>')
        else:
            parts.append(f" word{number} ")
    return "".join(parts)


@pytest.mark.parametrize("seed", range(60))
def test_blocks_hold_the_whole_text_and_every_link_once(seed):
    rng = random.Random(seed)
    page = page_of(f"<body>{_random_html(rng)}", alpha=rng.choice([0, 0.3, 0.5, 1]), min_links=rng.choice([1, 1, 2, 4]))
    chunks = page.outline.chunks
    covered = [chunk for first, last, _ in page.blocks.segments for chunk in range(first, last)]
    assert covered == sorted(set(covered))
    assert [c for c in range(2, len(chunks)) if chunks[c].strip() and c not in set(covered)] == []
    assert len(page.anchor_blocks) == len(page.anchors)
    # An anchor's text stands in the block that is said to hold it.
    block_of = {chunk: block for first, last, block in page.blocks.segments for chunk in range(first, last)}
    for anchor, (node, block) in enumerate(zip(page.anchors, page.anchor_blocks, strict=True)):
        own = range(page.outline.first_chunk[node], page.outline.last_chunk[node])
        assert {block_of[chunk] for chunk in own} == {block}, page.anchor_text(anchor)
    assert sorted(" ".join(blocks_of(page)).split()) == sorted(page.text.split())


@pytest.mark.parametrize("seed", range(20))
def test_heights_and_link_counts_are_those_of_a_plain_recursion(seed):
    outline = page_of(f"<body>{_random_html(random.Random(seed))}").outline
    n_nodes = len(outline.parent)
    children = [[child for child in range(n_nodes) if outline.parent[child] == node] for node in range(n_nodes)]
    links = set(outline.link_nodes)

    def n_links(node):
        return (node in links) + sum(map(n_links, children[node]))

    def size(node):
        return 1 + sum(map(size, children[node]))

    for node in range(n_nodes):
        assert outline.n_links[node] == n_links(node)
        assert outline.end[node] == node + size(node)
        for child in children[node]:
            assert outline.height[node] in (
                max(outline.height[c] + d for c in children[node] for d in (0, 1)),
                *(outline.height[c] + d for c in children[node] for d in (0, 1)),
            )
            assert outline.height[node] >= outline.height[child]
            assert outline.first_chunk[node] <= outline.first_chunk[child]
            assert outline.last_chunk[child] <= outline.last_chunk[node]
