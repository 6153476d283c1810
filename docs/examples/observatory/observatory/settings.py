"""An ordinary Scrapy project. Two lines let it crawl for a topic."""

BOT_NAME = "observatory"
SPIDER_MODULES = ["observatory.spiders"]

ADDONS = {"focused.FocusedAddon": 500}
FOCUSED_TOPIC = "astrophysics"  # or the spider's attribute or argument `topic`

# Between the pipeline that drops irrelevant pages (200) and the one that writes pages.jsonl (300).
ITEM_PIPELINES = {"observatory.pipelines.SitePipeline": 250}

# The project's own politeness stands.
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 1.0
CONCURRENT_REQUESTS_PER_DOMAIN = 1
