"""What a crawl collects: one row for each fetched page, in ``collection.sqlite`` of its run directory.

`focused.collection.schema` says what a row holds, `focused.collection.store` writes rows while a crawl runs, and
`focused.collection.view` finds them again. No module here loads Scrapy.
"""
