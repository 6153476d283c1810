"""Declares the settings of what a crawl says and leaves: log, files, collection, recorded answers, metrics."""

from __future__ import annotations

from focused.utils.setting import SERVER, TOPIC, USER, Setting

# fmt: off
METRICS_INTERVAL_SECS = Setting(
    "FOCUSED_METRICS_INTERVAL_SECS", 5.0,
    "Seconds between two lines of the log; 0: none. A line that has not changed is repeated once a minute.",
    least=0, set_by=TOPIC)
HARVEST_WINDOW_PAGES = Setting(
    "FOCUSED_HARVEST_WINDOW_PAGES", 100, "Pages over which the recent harvest rate is taken.", least=1, set_by=TOPIC)
HARVEST_EVERY_PAGES = Setting(
    "FOCUSED_HARVEST_EVERY_PAGES", 10, "Pages between two rows of `harvest.csv`.", least=1, set_by=TOPIC)
PAGES_ENABLED = Setting(
    "FOCUSED_PAGES_ENABLED", True, "Store relevant pages, with their text, in `pages.jsonl`.", set_by=USER)
CSV_SAFE = Setting(
    "FOCUSED_CSV_SAFE", True,
    "True: in `fetched.csv`, in feeds (`-O FILE.csv`) and in `scrapy frontier --csv` a text that a spreadsheet would take "
    "for a formula, because it begins with `=`, `+`, `-`, `@`, a tab or the end of a line, has an apostrophe before it. "
    "Pages write what they like into their titles. False: texts as they are, for programs.", set_by=USER)
COLLECTION = Setting(
    "FOCUSED_COLLECTION", "on",
    "Whether every fetched page becomes a row of `collection.sqlite`, with its text. Evaluations have it off.",
    choices=("on", "off"), set_by=USER)
MAX_IRRELEVANT = Setting(
    "FOCUSED_COLLECTION_MAX_IRRELEVANT", 20_000,
    "Pages that are not relevant of which the collection keeps text and terms, so that people can judge them. Of more a fair "
    "draw is kept; the rows of the others stay.", least=0, set_by=USER)
MARKDOWN = Setting(
    "FOCUSED_MARKDOWN", "off",
    "Whether the collection keeps the main text of each page as Markdown, too: some 1 ms a page. Without it `scrapy export "
    "--format markdown` makes it of what was recorded.", choices=("on", "off"), set_by=USER)
JUDGE_AGAIN_SECS = Setting(
    "FOCUSED_COLLECTION_JUDGE_AGAIN_SECS", 60.0,
    "Seconds at most for which the end of a crawl that has trained its model judges the pages of the collection again, by the "
    "last version. 0: each page keeps what was said of it when it came.", least=0, most=86_400, set_by=USER)
WARC = Setting(
    "FOCUSED_WARC", "auto",
    "What is recorded in `pages.warc.gz`: `all` that is fetched; the answers of `relevant` pages, as the model judged them; "
    "nothing (`off`); `auto`: `all` on the live web, nothing on recorded webs and the demo web.",
    choices=("auto", "all", "relevant", "off"), set_by=USER)
POSTGRESQL = Setting(
    "FOCUSED_POSTGRESQL", "",
    "Database that delivered pages are copied to, such as `postgresql://me@host/database`, without a password: "
    "[how to](../how-to/export.md#a-database). Empty: none.", set_by=SERVER)
METRICS_TOKEN = Setting(
    "FOCUSED_METRICS_TOKEN", "",
    "What a monitoring system sends to `/metrics` of the dashboard: [metrics](../how-to/dashboard.md#metrics). At least 16 "
    "characters; best given as an environment variable. Empty: only a browser with the dashboard's link is answered.",
    set_by=SERVER)

OUTPUT = (
    *(METRICS_INTERVAL_SECS, HARVEST_WINDOW_PAGES, HARVEST_EVERY_PAGES, PAGES_ENABLED, CSV_SAFE),
    *(COLLECTION, MAX_IRRELEVANT, MARKDOWN, JUDGE_AGAIN_SECS, WARC, POSTGRESQL, METRICS_TOKEN),
)
SECRET = frozenset({METRICS_TOKEN.name})
"""Whose values no file or log tells. Databases are refused with a password."""
