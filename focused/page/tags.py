"""What the walk over a page makes of each tag."""

from __future__ import annotations

# P13 lists H1-H6, P, ADDRESS, CENTER, (one tag is lost in print), DT, TABLE, TH, TR, TD. DIV is taken for the lost one.
PAPER_BLOCK_TAGS = frozenset("h1 h2 h3 h4 h5 h6 p address center div dt table th tr td".split())
MODERN_BLOCK_TAGS = PAPER_BLOCK_TAGS | frozenset(
    "section article nav aside main header footer ul ol li dl dd blockquote figure form".split()
)
BLOCK_TAG_SETS = {"modern": MODERN_BLOCK_TAGS, "paper": PAPER_BLOCK_TAGS}

# Elements that do not interrupt a word or a line of text; all others do.
_PHRASE_TAGS = (
    "abbr acronym b bdi bdo big blink cite code data del dfn em font i ins kbd label mark nobr q s samp "
    "small span strike strong sub sup time tt u var wbr head"
).split()
_INVISIBLE_TAGS = ("script", "style", "template", "noscript", "noembed", "textarea")
_WITHOUT_NODE_TAGS = ("br", "hr", "img", "input", "base", "meta", "link", "title", "noframes")
RAW_TEXT_TAGS = ("title", "noframes")
LEAF_LINK_TAGS = ("area", "frame", "iframe")
_SPECIAL_TAGS = ("a", "html", "body", "h1", "h2", "h3", "h4", "h5", "h6", *LEAF_LINK_TAGS)

# In such an order that two comparisons do for most elements: no node is below NODE, nothing special up to BLOCK.
INVISIBLE, WITHOUT_NODE, PHRASE, NODE, BLOCK, SPECIAL = -3, -2, -1, 0, 1, 2


def tag_codes(block_tags: str) -> dict[str, int]:
    """Return how the walk treats each tag that is not an ordinary node, for one of the ``BLOCK_TAG_SETS``."""
    codes = dict.fromkeys(_PHRASE_TAGS, PHRASE)
    codes.update(dict.fromkeys(_INVISIBLE_TAGS, INVISIBLE))
    codes.update(dict.fromkeys(_WITHOUT_NODE_TAGS, WITHOUT_NODE))
    codes.update(dict.fromkeys(BLOCK_TAG_SETS[block_tags], BLOCK))
    for tag in _SPECIAL_TAGS:
        codes[tag] = codes.get(tag, NODE) | SPECIAL
    return codes
