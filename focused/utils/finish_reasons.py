"""Names the reasons why crawls end that several parts of the program use."""

from __future__ import annotations

WORDS_NOT_FOUND = "words_not_found"
"""No page holds any of the topic's words. Of many workers the one that trains finds it out, and all end."""
