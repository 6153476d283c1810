"""Declares how a topic begins: from words, from examples, of this web or another, or from examples and pages of the web."""

from __future__ import annotations

import re

WORDS, EXAMPLES, ELSEWHERE, WEB = "words", "examples", "elsewhere", "web"
STARTS = (WORDS, EXAMPLES, ELSEWHERE, WEB)

SOURCES_OF_WEB = {
    "hyperphysics": ("HyperPhysics",),
    "webkb": ("WebKB",),
    "forum": ("20 Newsgroups",),
    "wire": ("Reuters-21578",),
    "grass": ("grass-doc",),
    "gimp": ("gimp-help-en",),
    "docs": (*("python3-doc", "git-doc", "postgresql-doc-15", "octave-doc", "grass-doc", "gimp-help-en", "anarchism"),),
}
"""Sources of the general background that the webs of the project's own comparisons are made of, by the name of the web."""


def sources_of(web: str) -> tuple[str, ...]:
    """Return the sources of the general background that a web is made of, by its name.

    >>> sources_of("hyperphysics-2"), sources_of("foldoc")
    (('HyperPhysics',), ())
    """
    return SOURCES_OF_WEB.get(re.sub(r"-\d+$", "", web.lower()), ())
