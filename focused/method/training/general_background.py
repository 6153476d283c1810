"""The general background as unlabelled pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from focused.method.text.background import Background, load_background
from focused.method.training.page_set import PageSet

if TYPE_CHECKING:
    from collections.abc import Collection

Unlabeled = PageSet | Background


def general_background(without: Collection[str] = ()) -> Background:
    """Return the general background that ships with the project, without some of its sources.

    Raises ValueError if a name is no source.
    """
    return load_background().without(without)
