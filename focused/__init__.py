"""Focused: a Scrapy project that collects the pages about one topic and leaves the rest of the web alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from focused.utils.version import __version__

if TYPE_CHECKING:
    from focused.addon import FocusedAddon

__all__ = ["FocusedAddon", "__version__"]


def __getattr__(name: str) -> Any:
    """Load the add-on when it is asked for: it needs Scrapy, and the method is used without."""
    if name == "FocusedAddon":
        from focused.addon import FocusedAddon

        return FocusedAddon
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
