"""An example: a Scrapy project of its own that crawls for a topic."""
