"""Topics by the tags that people gave Debian's packages (debtags), and packages as makers need them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from web_makers.sources import tags_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from web_makers.sources import Paragraph

SCIENCES = {
    "astronomy": ("field::astronomy",),
    "biology": ("field::biology", "works-with::biological-sequence"),
    "chemistry": ("field::chemistry",),
    "electronics": ("field::electronics", "hardware::hamradio"),
    "finance": ("field::finance",),
    "games": ("game::",),
    "geography": ("field::geography",),
    "language": ("field::linguistics", "works-with::dictionary"),
    "mathematics": ("field::mathematics", "field::statistics"),
    "medicine": ("field::medicine",),
    "physics": ("field::physics",),
}
"""Topics of the many small hosts."""
MEDIA = {
    "archives": ("works-with::archive", "use::compressing"),
    "chat": ("use::chatting", "works-with::im"),
    "databases": ("works-with::db",),
    "mail": ("mail::", "works-with::mail"),
    "pictures": ("works-with::image",),
    "secrets": ("security::cryptography", "security::authentication"),
    "sound": ("sound::", "works-with::audio"),
    "video": ("works-with::video",),
    "web": ("web::",),
}
"""Topics of the web in several languages: none of the others."""


@dataclass(frozen=True)
class Package:
    """A package of the distribution, with its description in one or more languages."""

    name: str
    source: str
    version: str
    maintainer: str
    needs: tuple[str, ...]
    tags: frozenset[str]
    #: Summary and text by language.
    texts: Mapping[str, tuple[str, str]]


def topics_of(tags: frozenset[str], topics: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return the topics that tags belong to; a tag stands for those below it."""
    return {
        f"topic {topic}"
        for topic, starts in topics.items()
        if any(tag == start or tag.startswith((f"{start}:", f"{start}|")) or
               (start.endswith("::") and tag.startswith(start)) for tag in tags for start in starts)
    }  # fmt: skip


def package(paragraph: Paragraph, texts: Mapping[str, tuple[str, str]]) -> Package:
    """Make a package of its paragraph in apt's lists."""
    fields = (paragraph.get(key, "") for key in ("Depends", "Recommends", "Suggests", "Enhances"))
    needs = [name for field in fields for name in re.findall(r"(?:^|[,|] ?)([a-z0-9][a-z0-9.+-]+)", field)]
    return Package(
        name=paragraph["Package"],
        source=paragraph.get("Source", paragraph["Package"]).split(" ")[0],
        version=paragraph.get("Version", ""),
        maintainer=paragraph.get("Maintainer", "?").split(" <")[0].strip('"'),
        needs=tuple(dict.fromkeys(needs)),
        tags=frozenset(tags_of(paragraph)),
        texts=texts,
    )
