"""The project's own Scrapy commands."""
