"""Spider and downloader middlewares: thin seams between Scrapy and the method.

The way of a request, a response and a page through them:

1. A request passes `addresses`, `waiting_links`, `link_words`, `scope` and `robots_txt` (with `robots_download`) before it is
   sent. Each may end it.
2. The response passes `host_failures`, `redirect_targets`, `in_part` and `pdf`.
3. The spider yields its page. `link_scoring` has it read and judged, and yields its item and a scored request for each new
   link.
4. `page_end` holds these requests until the item has passed the pipelines.
"""
