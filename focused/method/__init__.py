"""The method: pages, text, learning, topics, scoring, strategies, training, explanation. Loads no Scrapy."""
