"""A page of the demo web before rendering: its text, and its links in blocks."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class DemoLink:
    """A link as the reader meets it.

    anchor : its text; lead : a heading before the link; teaser : a sentence beside it;
    image : the anchor is the alternative text of a picture.
    """

    url: str
    anchor: str
    lead: str = ""
    teaser: str = ""
    image: bool = False


@dataclass(frozen=True, slots=True)
class Block:
    """Links that stand together. ``kind`` becomes the class of the element."""

    kind: str
    heading: str
    links: tuple[DemoLink, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Text, perhaps with one link in it."""

    text: str
    link: DemoLink | None = None
    rest: str = ""


@dataclass(slots=True)
class Document:
    """One page: what every layout renders in its own way."""

    title: str
    site: str
    home: str
    language: str = "en"
    trail: list[DemoLink] = field(default_factory=list)
    nav: list[DemoLink] = field(default_factory=list)
    paragraphs: list[Paragraph] = field(default_factory=list)
    main: list[Block] = field(default_factory=list)
    side: list[Block] = field(default_factory=list)
    footer: list[DemoLink] = field(default_factory=list)
