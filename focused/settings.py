"""Scrapy settings of the project, and the defaults of its own, which docs/reference/settings.md lists."""

from __future__ import annotations

import os

from scrapy.settings import default_settings

from focused.crawl.declared_settings import defaults, of_environment
from focused.utils.places import default_models_dir
from focused.utils.version import __version__

BOT_NAME = "focused"
SPIDER_MODULES = ["focused.spiders"]
NEWSPIDER_MODULE = "focused.spiders"
COMMANDS_MODULE = "focused.commands"

# --- Politeness: the crawl is a guest -------------------------------------------------------------------------------
USER_AGENT = f"focused/{__version__}"  # FOCUSED_CONTACT is added to it
ROBOTSTXT_OBEY = True
DOWNLOAD_DELAY = 1.0  # seconds between two requests to a host; AutoThrottle raises it for slow hosts
CONCURRENT_REQUESTS_PER_DOMAIN = 1
AUTOTHROTTLE_ENABLED = True
AUTOTHROTTLE_START_DELAY = 1.0
DOWNLOAD_TIMEOUT = 30
DOWNLOAD_MAXSIZE = 5_000_000  # no page is longer; a video would be
DOWNLOAD_WARNSIZE = 0  # what is cut off is counted instead
RETRY_TIMES = 1  # a page that fails twice is not worth more of the budget
RETRY_GIVE_UP_LOG_LEVEL = "DEBUG"  # the summary counts them
REDIRECT_MAX_TIMES = 5
COOKIES_ENABLED = False  # a crawl has no sessions, and a cookie is one

# --- Best-first -----------------------------------------------------------------------------------------------------
# One SQLite file in the run directory: it survives kill -9, and takes the best link whose host may be asked now.
SCHEDULER = "focused.frontier.scheduler.FrontierScheduler"
# For focused.frontier.budget_scheduler.BudgetScheduler, which keeps links in memory or in JOBDIR as Scrapy does. The default
# queue takes the host with the fewest downloads first, whatever its links are worth.
SCHEDULER_PRIORITY_QUEUE = "scrapy.pqueues.ScrapyPriorityQueue"
# Links of equal score in the order they were found: breadth_first is breadth-first, ties do not dive.
SCHEDULER_MEMORY_QUEUE = "scrapy.squeues.FifoMemoryQueue"
SCHEDULER_DISK_QUEUE = "scrapy.squeues.PickleFifoDiskQueue"
# No request is chosen while a response's links are still being scored: the best link may be among them.
SCRAPER_SLOT_MAX_ACTIVE_SIZE = 1
CONCURRENT_REQUESTS = 16  # docs/method/, D56
# Tasks started for each response, which has one item; the default of 100 costs a third of Scrapy's CPU.
CONCURRENT_ITEMS = 1
DEPTH_STATS_VERBOSE = False

# As Scrapy's own, without formulas of strangers: FOCUSED_CSV_SAFE.
FEED_EXPORTERS = {"csv": "focused.crawl.csv_exporter.SafeCsvItemExporter"}

# --- Components -----------------------------------------------------------------------------------------------------
# 950: before Scrapy's DepthMiddleware (900) and all others, which see the requests for a page's links.
# 10: after all others; a page's links wait for its end.
SPIDER_MIDDLEWARES = {
    "focused.middlewares.link_scoring.LinkScoringMiddleware": 950,
    "focused.middlewares.page_end.PageEndMiddleware": 10,
    "focused.middlewares.addresses.StartAddressMiddleware": 20,
}
ITEM_PROCESSOR = "focused.pipelines.page_end.PageEndItems"
# 50: in the place of Scrapy's own, which knows allowed_domains only.
# 5, 10: before robots.txt is asked (100); a request that may not be sent, or is one too many, disturbs nobody.
# 20: what its score rests on is said when a link is about to be fetched.
# 100: robots.txt as RFC 9309 says, instead of Scrapy's.
# 540: PDF files are read when they are unpacked (590) and redirects (600) are over.
# 605: a backslash in a Location is a slash.
# 610: which hosts answer, before redirects (600) and retries (550) are made of answers and exceptions.
DOWNLOADER_MIDDLEWARES = {
    "focused.middlewares.addresses.AddressMiddleware": 5,
    "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware": None,
    "focused.middlewares.waiting_links.WaitingLinkMiddleware": 10,
    "focused.middlewares.link_words.LinkWordsMiddleware": 20,
    "scrapy.downloadermiddlewares.offsite.OffsiteMiddleware": None,
    "focused.middlewares.scope.ScopeMiddleware": 50,
    "focused.middlewares.robots_txt.RobotsTxtMiddleware": 100,
    "focused.middlewares.pdf.PdfMiddleware": 540,
    "focused.middlewares.in_part.BodyInPartMiddleware": 600,  # sees a body before it is unpacked
    "focused.middlewares.redirect_targets.RedirectTargetsMiddleware": 605,
    "focused.middlewares.host_failures.HostFailuresMiddleware": 610,
}
# A meta refresh is a link of the page to us; Scrapy's middleware would throw the page away, and fails on charsets
# such as "hex" before any callback.
METAREFRESH_ENABLED = False
ITEM_PIPELINES = {
    "focused.pipelines.classify.ClassifyPipeline": 100,
    "focused.pipelines.retraining.RetrainingPipeline": 150,  # if FOCUSED_RETRAINING or FOCUSED_UNLABELED asks
    "focused.pipelines.shared_retraining.SharedRetrainingPipeline": 155,  # the same, if workers share the crawl
    "focused.pipelines.collection.CollectionPipeline": 180,  # before irrelevant pages are dropped
    "focused.pipelines.verdicts.VerdictsPipeline": 190,  # what people say stands above the model
    "focused.pipelines.shared_collection.SharedCollectionPipeline": 195,  # if workers share the crawl
    "focused.pipelines.harvest.HarvestPipeline": 200,
    "focused.pipelines.json_lines.JsonLinesPipeline": 300,
    "focused.pipelines.postgresql.PostgresPipeline": 400,  # if FOCUSED_POSTGRESQL names a database
}
EXTENSIONS = {
    "focused.extensions.harvest_monitor.HarvestMonitor": 100,
    "focused.extensions.warc_recorder.WarcRecorder": 200,
    "focused.extensions.alerts.Alerts": 150,
    "focused.extensions.progress_file.ProgressFile": 160,
    "focused.extensions.time_limit.TimeLimit": 250,
    "focused.extensions.early_stop.EarlyStop": 300,
    "focused.extensions.open_files.OpenFiles": 400,
    "focused.extensions.shared_worker.SharedWorker": 500,  # if workers share the crawl
    "focused.extensions.frozen_start.FrozenStart": 900,
    "scrapy.extensions.logstats.LogStats": None,  # the harvest monitor says more
}
# Other schemes than http and https have no handler: a page, a redirect or a frontier of a stranger must not read files.
DOWNLOAD_HANDLERS = {
    **dict.fromkeys(("http", "https"), "focused.crawl.live_handler.LiveDownloadHandler"),
    **dict.fromkeys(set(default_settings.DOWNLOAD_HANDLERS_BASE) - {"http", "https"}),
}
TELNETCONSOLE_ENABLED = False  # two ports that run Python for whoever connects
REMOTE_CONTROL_ENABLED = False
# Scrapy imports what is listed, on or off, and this takes each start a quarter of a second. Who wants it adds it to
# EXTENSIONS and sets REMOTE_CONTROL_ENABLED.
EXTENSIONS_BASE = {
    path: place for path, place in default_settings.EXTENSIONS_BASE.items() if not path.endswith(".RemoteControl")
}
# As Scrapy's own, and cheaper page by page.
STATS_CLASS = "focused.utils.lean_scrapy.LeanStats"
LOG_FORMATTER = "focused.utils.lean_scrapy.LeanLogFormatter"
REFERRER_POLICY = "focused.utils.lean_scrapy.LeanReferrerPolicy"

# --- Log: what a person watching a crawl wants to read --------------------------------------------------------------
LOG_LEVEL = "INFO"
LOG_FORMAT = "%(asctime)s %(levelname)s: %(message)s"
LOG_DATEFORMAT = "%H:%M:%S"
STATS_DUMP = False  # run.json holds them
LOG_VERSIONS: list[str] = []  # run.json names them

# --- The project's own: each is declared once, with its default, its range and its meaning ---------------------------
globals().update(defaults())
# Absolute, for Scrapyd runs crawls in a folder of its own; the environment wins, for an egg has no folder beside it.
# Topics that ship with the package are found as well, wherever this is.
FOCUSED_MODELS_DIR = str(default_models_dir())
globals().update(of_environment(os.environ))
