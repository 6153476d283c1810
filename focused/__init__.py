"""Focused: a Scrapy project that collects the pages about one topic and leaves the rest of the web alone."""

__version__ = "0.1.0"
