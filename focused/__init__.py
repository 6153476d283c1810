"""Focused: a Scrapy project that collects the pages about one topic and leaves the rest of the web alone."""

from focused.utils.version import __version__

__all__ = ["__version__"]
