"""Scrapy settings of the project, and every FOCUSED_ default. docs/reference.md says more about each."""

from __future__ import annotations

import os

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

# --- Components -----------------------------------------------------------------------------------------------------
# 850: after Scrapy's DepthMiddleware (900), whose depth it needs and whose drops it must not score.
# 10: after all others; a page's links wait for its end.
SPIDER_MIDDLEWARES = {
    "focused.middlewares.link_scoring.LinkScoringMiddleware": 850,
    "focused.middlewares.page_end.PageEndMiddleware": 10,
}
ITEM_PROCESSOR = "focused.middlewares.page_end.PageEndItems"
# 10: before robots.txt is asked (100); a request that is one too many disturbs nobody.
DOWNLOADER_MIDDLEWARES = {"focused.middlewares.waiting_links.WaitingLinkMiddleware": 10}
# A meta refresh is a link of the page to us; Scrapy's middleware would throw the page away, and fails on charsets
# such as "hex" before any callback.
METAREFRESH_ENABLED = False
ITEM_PIPELINES = {
    "focused.pipelines.harvest.ClassifyPipeline": 100,
    "focused.pipelines.retraining.RetrainingPipeline": 150,  # if FOCUSED_RETRAINING says so
    "focused.pipelines.harvest.HarvestPipeline": 200,
    "focused.pipelines.harvest.JsonLinesPipeline": 300,
}
EXTENSIONS = {
    "focused.extensions.harvest_monitor.HarvestMonitor": 100,
    "focused.extensions.warc_recorder.WarcRecorder": 200,
    "focused.extensions.early_stop.EarlyStop": 300,
    "focused.extensions.frozen_start.FrozenStart": 900,
    "scrapy.extensions.logstats.LogStats": None,  # the harvest monitor says more
}
TELNETCONSOLE_ENABLED = False  # two ports that run Python for whoever connects
REMOTE_CONTROL_ENABLED = False

# --- Log: what a person watching a crawl wants to read --------------------------------------------------------------
LOG_LEVEL = "INFO"
LOG_FORMAT = "%(asctime)s %(levelname)s: %(message)s"
LOG_DATEFORMAT = "%H:%M:%S"
STATS_DUMP = False  # run.json holds them
LOG_VERSIONS: list[str] = []  # run.json names them

# --- Where things are -----------------------------------------------------------------------------------------------
# Absolute, for Scrapyd runs crawls in a folder of its own; the environment wins, for an egg has no folder beside it.
# Topics that ship with the package are found as well, wherever this is.
FOCUSED_MODELS_DIR = os.environ.get("FOCUSED_MODELS_DIR", str(default_models_dir()))
FOCUSED_RUNS_DIR = os.environ.get("FOCUSED_RUNS_DIR", "runs")
FOCUSED_WEBS_DIR = os.environ.get("FOCUSED_WEBS_DIR", "")  # under Scrapyd, WARC and seed files come from here only
FOCUSED_CACHE_DIR = os.environ.get("FOCUSED_CACHE_DIR", "")  # for indexes of WARC files in folders we may not write
FOCUSED_RUN_DIR = ""  # of this crawl; empty: RUNS_DIR/TOPIC/TIMESTAMP

# --- The crawl ------------------------------------------------------------------------------------------------------
FOCUSED_CONTACT = ""  # URL or address that site owners can turn to; goes into the User-Agent
FOCUSED_MAX_PAGES = 1000  # 0: no limit
FOCUSED_MAX_RELEVANT = 0  # 0: no limit
FOCUSED_STRATEGY = "adaptive"
FOCUSED_BELOW_THRESHOLD = "defer"  # or "drop", as the papers do
FOCUSED_RELEVANCE_THRESHOLD = None  # for pages; None: the one fitted in training
FOCUSED_LINK_THRESHOLD = None  # for blocks, anchor texts and link contexts; None: those fitted in training
FOCUSED_SIMILARITY = "calibrated"  # or "cosine"
FOCUSED_COSINE_THRESHOLD = 0.1
FOCUSED_LINK_SCORING_ENABLED = True
FOCUSED_MERGE_EVIDENCE = True  # False: what the first page says of a link stands, as in the papers
FOCUSED_NOFOLLOW_ENABLED = False  # True: links that say rel=nofollow are left out

# --- Strategies: what each of them can be told; the papers' values -------------------------------------------------
FOCUSED_JFE_LAMBDA = 0.5  # lpe: weight of the anchor text, the rest is the context's
FOCUSED_FISH_WIDTH = 5  # fish_search: links of a page that are of interest
FOCUSED_FISH_DEPTH = 3  # fish_search: links into irrelevant pages
FOCUSED_FISH_RELEVANT_FACTOR = 1.5  # fish_search: how much wider a relevant page is
FOCUSED_SHARK_DECAY = 0.5  # shark_search: delta, what of a score is left one link on
FOCUSED_SHARK_INHERITED_WEIGHT = 0.1  # shark_search: gamma, the rest is the neighbourhood's
FOCUSED_SHARK_ANCHOR_WEIGHT = 0.8  # shark_search: beta, the rest of the neighbourhood is the context's
FOCUSED_PATEL_PAGE_WEIGHT = 0.5  # patel_schmidt: the rest is the anchor text's
FOCUSED_ANCHOR_TREE_DEPTH = 20  # anchor_tree: questions to a leaf, at most
FOCUSED_ANCHOR_TREE_MIN_LEAF = 2  # anchor_tree: links in a leaf, at least
FOCUSED_ANCHOR_TREE_THRESHOLD = 0.5  # anchor_tree: probability from which a link is admitted
FOCUSED_CLUSTER_LAMBDA = 3.0  # clustering, incremental: the larger, the more is merged
FOCUSED_CLUSTER_MAX_UNITS = 200  # clustering, incremental: contexts of a page that are clustered
FOCUSED_INCREMENTAL_CLUSTERING = True  # incremental: False judges each context by itself
FOCUSED_INCREMENTAL_MU = 10.0  # incremental: percentage of the examples that count as unclear
FOCUSED_INCREMENTAL_NEGATIVES = "all"  # incremental: or "reliable", by 1-DNFII
FOCUSED_INCREMENTAL_MAX_EXAMPLES = 5000  # incremental: links, or pages, that are learnt from
FOCUSED_HYBRID_PAGE_WEIGHT = 0.1  # hybrid: w1, the rest is the link's
FOCUSED_HYBRID_THRESHOLD = 0.5  # hybrid: links that score more are admitted
FOCUSED_HYBRID_URL_TERMS = False  # hybrid: True adds the words of the URL to the link's text
FOCUSED_HYBRID_C = 1.0  # hybrid: penalty of the SVMs
FOCUSED_HYBRID_GAMMA = 0.0  # hybrid: of the radial kernel; 0: one over the number of terms
FOCUSED_HYBRID_TOLERANCE = 0.001  # hybrid: where the solver stops
FOCUSED_HYBRID_MAX_EXAMPLES = 2000  # hybrid: pages, and links, that are learnt from
FOCUSED_ADAPTIVE_EVERY_PAGES = 25  # adaptive: pages between two fits of its model
FOCUSED_ADAPTIVE_CREDIT = 0.3  # adaptive: what of the outcomes of a page's links counts as its own
FOCUSED_ADAPTIVE_EXPLORATION = 0.0  # adaptive: share of the pages that are drawn by lot
FOCUSED_ADAPTIVE_MAX_LINKS = 100_000  # adaptive: links that are remembered; others keep their score
FOCUSED_ADAPTIVE_WARM_UP_PAGES = 50  # adaptive: until then fewer pages are asked for at a time
FOCUSED_ADAPTIVE_FAIRNESS = (
    1.0  # adaptive: how far links come forward behind a seed that has had few pages; 0: not at all
)
FOCUSED_ADAPTIVE_EXAMPLES = 0.2  # adaptive: outcomes that each link among the topic's examples counts as
FOCUSED_ADAPTIVE_SEED = 0  # adaptive: of the lot
FOCUSED_RANDOM_SEED = 0  # random: another is another order
FOCUSED_ORACLE_FILE = ""  # oracle: JSON of URLs and scores; evaluations write it

# --- Pages ----------------------------------------------------------------------------------------------------------
FOCUSED_PAGE_READER = ""  # class that reads pages; empty: the project's own
FOCUSED_PAGE_CLASSIFIER = ""  # class that judges them; empty: the project's own, by the topic's model
FOCUSED_BLOCK_TAGS = "modern"  # or "paper"
FOCUSED_BLOCK_ALPHA = 0.5
FOCUSED_BLOCK_MIN_LINKS = 1  # the paper's k
FOCUSED_CONTEXT_OTHER_ANCHORS = "exclude"  # or "include"
FOCUSED_PAGE_MAX_BYTES = 2_000_000
FOCUSED_PAGE_MAX_ELEMENTS = 100_000
FOCUSED_PAGE_MAX_LINKS = 10_000
FOCUSED_PAGE_MAX_URL_CHARS = 2_083
FOCUSED_PAGE_MAX_UNIT_TERMS = 1_000_000

# --- The frontier ---------------------------------------------------------------------------------------------------
FOCUSED_FRONTIER_MAX_LINKS = 10_000_000  # that wait; the worst beyond are forgotten. 0: no limit
FOCUSED_FRONTIER_MAX_PER_HOST = 0  # links of a host that are ever fetched; 0: no limit
FOCUSED_FRONTIER_MAX_TUNNEL = 0  # irrelevant pages in a row that a link may lie behind; 0: no limit
FOCUSED_FRONTIER_HOST_SINK = 0.0  # how far a host whose pages prove irrelevant sinks; 1: up to a whole scale

# --- Adaptation: what a crawl learns from its pages; the paper's values (I18) --------------------------------------
FOCUSED_RETRAINING = "off"  # or "automatic", "interactive", "both"
FOCUSED_RETRAINING_T1 = 0.8  # relevance from which a page joins the positives
FOCUSED_RETRAINING_T2 = 0.2  # relevance up to which a page joins the negatives
FOCUSED_RETRAINING_EVERY_PAGES = 14  # k: pages between two trainings
FOCUSED_RETRAINING_COUNTS = "judged"  # what k counts; or "added": only pages that joined
FOCUSED_RETRAINING_MAX_PAGES = 2000  # that join, of each label; pages whose links can be scored again
FOCUSED_RETRAINING_TOLERANCE = 0.02  # what a new model may fall short by on held-out examples
FOCUSED_RETRAINING_DOUBTS = True  # verdicts that all other examples speak against are left out
FOCUSED_RETRAINING_EXPLORATION = 0.5  # most of the pages that look for other sides of the topic, with verdicts
FOCUSED_RETRAINING_TIMEOUT_SECS = 120  # for a training
FOCUSED_RETRAINING_WAIT = "offline"  # the crawl pauses while a model is trained; or "always", "never"
FOCUSED_VERDICTS = ""  # file or folder of people's verdicts on pages

# --- Metrics and stores ---------------------------------------------------------------------------------------------
FOCUSED_METRICS_INTERVAL_SECS = 5.0
FOCUSED_HARVEST_WINDOW_PAGES = 100
FOCUSED_HARVEST_EVERY_PAGES = 10  # a row of harvest.csv
FOCUSED_WARC_ENABLED = False

# --- The demo web ---------------------------------------------------------------------------------------------------
FOCUSED_DEMO_PAGES = 6000
FOCUSED_DEMO_HOSTS = 40
FOCUSED_DEMO_TOPICS = 8
FOCUSED_DEMO_SEED = 0
