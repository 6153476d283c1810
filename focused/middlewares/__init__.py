"""Spider and downloader middlewares: thin seams between Scrapy and the method.

- Of spiders: `link_scoring` (a page comes in, its item and scored requests go out), `page_end`.
- Of the downloader, before a request is sent: `addresses`, `waiting_links`, `link_words`, `scope`, `robots_txt` with
  `robots_download`.
- Of the downloader, when an answer comes: `host_failures`, `in_part`, `pdf`.
"""
