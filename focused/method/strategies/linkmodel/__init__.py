"""The strategy ``adaptive``: a model of links that learns from the outcomes of the crawl."""
