"""Names the kinds of pages in the queue for judging: why a page is shown.

A module of its own, without numpy: Scrapy imports all commands before it runs one.
"""

from __future__ import annotations

UNCERTAIN, NEW_SIDE, RANDOM, TOP = "uncertain", "new side", "random", "top"

WHY = {
    UNCERTAIN: "the model is uncertain about pages like it",
    NEW_SIDE: "called irrelevant, and nobody has judged pages like it",
    RANDOM: "drawn at random: such pages tell how good the collection is",
    TOP: "the model is surest that it is relevant",
}
"""Why a page is shown, for people."""
