"""Spider and downloader middlewares: thin seams between Scrapy and the method."""
