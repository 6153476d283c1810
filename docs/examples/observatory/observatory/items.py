"""What the project collects: pages, with fields of its own."""

from __future__ import annotations

from dataclasses import dataclass

from focused.items import PageItem


@dataclass
class Observation(PageItem):
    """A page with the number of its pictures. A field needs a default value."""

    n_images: int = 0
    #: Filled in by the pipeline.
    site: str = ""
    #: Title of the catalogue that named the page; empty for pages that were found by links.
    catalogue: str = ""
