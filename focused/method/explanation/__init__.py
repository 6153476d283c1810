"""Why a page or a link is judged as it is, for ``scrapy explain``: `explain` computes it, `rendering` makes text of it."""
