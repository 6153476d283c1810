"""Declares the settings of the crawl itself; strategies, pages, judges, retraining and the demo web declare their own."""

from __future__ import annotations

from focused.utils.setting import SERVER, TOPIC, USER, Setting

# fmt: off
MAX_PAGES = Setting(
    "FOCUSED_MAX_PAGES", 1000, "Pages to fetch: answered 2xx, with text, and analysed. 0: no limit.", least=0, set_by=TOPIC)
MAX_RELEVANT = Setting(
    "FOCUSED_MAX_RELEVANT", 0,
    "The crawl ends when so many relevant pages are found; what is in flight is still counted. 0: no limit.", least=0,
    set_by=TOPIC)
MAX_MINUTES = Setting(
    "FOCUSED_MAX_MINUTES", 0.0,
    "The crawl ends after so many minutes, those of earlier runs of it included; what is in flight is still counted. Patience "
    "spends them: FOCUSED_PATIENCE. 0: no limit.", least=0, set_by=TOPIC)
BELOW_THRESHOLD = Setting(
    "FOCUSED_BELOW_THRESHOLD", "defer",
    "What happens to links below the threshold: ranked under all others, or dropped as in the papers (the frontier then runs "
    "empty early).", choices=("defer", "drop"), set_by=TOPIC)

OBEY_NOINDEX = Setting(
    "FOCUSED_OBEY_NOINDEX", True,
    "True: what a page asks of robots in `<meta name=robots>` or `X-Robots-Tag` is obeyed: a page that says `noindex` is "
    "counted and not delivered, and of one that says `nofollow` no link is followed. On recorded webs and the demo web it is "
    "False unless `-s` says otherwise.", set_by=USER)
SITEMAPS = Setting(
    "FOCUSED_SITEMAPS", 10,
    "Sitemaps of a host that are read, if one of its pages is relevant or a seed: those that its robots.txt names, and the "
    "best of those that they list. 0: none. On recorded webs and the demo web it is 0 unless `-s` says otherwise.", least=0,
    most=1000, set_by=USER)
SITEMAPS_WHEN = Setting(
    "FOCUSED_SITEMAPS_WHEN", "last",
    "When sitemaps are read: `last`, when nothing else waits; or `first`, before all links, which helps where URLs say what "
    "pages are about, and costs much where they do not.", choices=("last", "first"), set_by=USER)
FEEDS = Setting(
    "FOCUSED_FEEDS", 2,
    "Feeds (RSS, Atom) of a host that are read: those that its relevant pages and its seeds name first. 0: none. On recorded "
    "webs and the demo web it is 0 unless `-s` says otherwise.", least=0, most=1000, set_by=USER)
SOURCE_MAX_LINKS = Setting(
    "FOCUSED_SOURCE_MAX_LINKS", 1000,
    "Links that are taken from a sitemap or a feed: of more that the crawl does not know yet, the best by their titles or the "
    "words of their URLs.", least=1, most=10_000, set_by=USER)
COPIES = Setting(
    "FOCUSED_COPIES", "on",
    "Whether a page that says the same as one met before is a copy: counted and not delivered, `duplicate_of` the other. "
    "Evaluations have it off unless `-s` says otherwise: labels count every copy.", choices=("on", "off"), set_by=TOPIC)
PAGE_READER = Setting(
    "FOCUSED_PAGE_READER", "", "Class that reads pages; by default the project's own.", names_class=True, set_by=USER)
PAGE_CLASSIFIER = Setting(
    "FOCUSED_PAGE_CLASSIFIER", "",
    "Class that judges pages; by default the project's own, by the topic's model.", names_class=True, set_by=USER)

PRIVATE_ADDRESSES = Setting(
    "FOCUSED_PRIVATE_ADDRESSES", "seeds",
    "Which addresses are asked that are not public (this machine, its network, a cloud's metadata): those of `seeds` on the "
    "command line, by host and port; none (`refuse`); all (`allow`). [Who may be asked](../method/addresses.md).",
    choices=("seeds", "refuse", "allow"), set_by=SERVER)

CSV_SAFE = Setting(
    "FOCUSED_CSV_SAFE", True,
    "True: in `fetched.csv`, in feeds (`-O FILE.csv`) and in `scrapy frontier --csv` a text that a spreadsheet would take "
    "for a formula, because it begins with `=`, `+`, `-`, `@`, a tab or the end of a line, has an apostrophe before it. "
    "Pages write what they like into their titles. False: texts as they are, for programs.", set_by=USER)

CRAWL = (
    Setting("FOCUSED_TOPIC", "",
            "Topic of the spiders of another project that name none themselves: [own project](../how-to/own-project.md).",
            set_by=USER),
    Setting("FOCUSED_STRATEGY", "adaptive", "How links are scored. A topic may give a name only.", names_class=True,
            set_by=TOPIC),
    MAX_PAGES,
    MAX_RELEVANT,
    MAX_MINUTES,
    BELOW_THRESHOLD,
    Setting("FOCUSED_LINK_SCORING_ENABLED", True,
            "False: no priorities; pages are fetched in the order their links were found.", set_by=USER),
    Setting("FOCUSED_MERGE_EVIDENCE", True,
            "True: all pages that link to a waiting link count; False: the first one alone, as in the papers. Changes "
            "nothing for strategies that do not merge: `adaptive`, `breadth_first`, `depth_first`, `random`, `oracle`.",
            set_by=TOPIC),
    OBEY_NOINDEX,
    COPIES,
    Setting("FOCUSED_NOFOLLOW_ENABLED", False,
            "True: links with `rel=nofollow`, and those of pages that say it in `<meta name=robots>`, are left out, whatever "
            "FOCUSED_OBEY_NOINDEX says.", set_by=USER),
    Setting("FOCUSED_CONTACT", "", "URL or address that site owners can turn to; it is added to the `USER_AGENT`.",
            set_by=USER),
    PRIVATE_ADDRESSES,
)

ALLOW = Setting(
    "FOCUSED_SCOPE_ALLOW", "",
    "Domains and paths that the crawl stays in, separated by commas: [scope](../how-to/scope.md). Empty: all.",
    set_by=TOPIC)
DENY = Setting(
    "FOCUSED_SCOPE_DENY", "", "Domains and paths that are never asked for, also where they are allowed.", set_by=TOPIC)
LANGUAGES = Setting(
    "FOCUSED_SCOPE_LANGUAGES", "",
    "Languages of relevant pages, by their codes (`en,de`). A page in another one is not relevant; its links are followed. "
    "Empty: all.", set_by=TOPIC)
SCOPE = (ALLOW, DENY, LANGUAGES)

SOURCES = (SITEMAPS, SITEMAPS_WHEN, FEEDS, SOURCE_MAX_LINKS)

FRONTIER = (
    Setting("FOCUSED_FRONTIER_MAX_LINKS", 10_000_000,
            "Links that may wait; beyond that the worst eighth is forgotten, in slices. 0: no limit.", least=0, set_by=TOPIC),
    Setting("FOCUSED_FRONTIER_MAX_PER_HOST", 0,
            "Pages of a host that are ever fetched; then its waiting links are dropped and new ones refused. 0: no "
            "limit.", least=0, set_by=TOPIC),
    Setting("FOCUSED_FRONTIER_MAX_PER_DOMAIN", 0,
            "The same for a registered domain (`example.co.uk`) with all hosts below it. 0: no limit.", least=0,
            set_by=TOPIC),
    Setting("FOCUSED_FRONTIER_MAX_TUNNEL", 0,
            "Irrelevant pages in a row that a link may lie behind; of several ways there the shortest counts. 0: no "
            "limit.", least=0, set_by=TOPIC),
    Setting("FOCUSED_FRONTIER_HOST_SINK", 0.0,
            "How far a host sinks whose pages prove irrelevant; 1: in the end by a whole scale of scores; 0: not at all.",
            least=0, set_by=TOPIC),
)

TRAPS = (
    Setting("FOCUSED_TRAPS", "on",
            "Whether links stand back if their folder, host or query parameter yields copies, or if their domain yields "
            "nothing relevant while others do, or has had more than its share; and whether query parameters that change "
            "nothing are left out where URLs are compared. Evaluations have it off unless `-s` says otherwise.",
            choices=("on", "off"), set_by=TOPIC),
    Setting("FOCUSED_DOMAIN_SHARE", 0.2,
            "With FOCUSED_TRAPS: share of the pages from which a registered domain, with all its subdomains, stands back "
            "behind good links of others. 0: none does.", least=0, most=1, set_by=TOPIC),
)

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

DATABASE = Setting(
    "FOCUSED_DATABASE", "",
    "Database in which workers share a crawl: `postgresql://me@host/database`, without a password. Empty: the crawl is this "
    "process's own. [Many workers](../method/many-workers.md).", set_by=SERVER)
SHARED_CRAWL = Setting(
    "FOCUSED_CRAWL", "",
    "With FOCUSED_DATABASE: name of the crawl there, which this process joins, or begins if there is none. As spider argument "
    "`crawl`.", set_by=USER)
METRICS_TOKEN = Setting(
    "FOCUSED_METRICS_TOKEN", "",
    "What a monitoring system sends to `/metrics` of the dashboard: [metrics](../how-to/dashboard.md#metrics). At least 16 "
    "characters; best given as an environment variable. Empty: only a browser with the dashboard's link is answered.",
    set_by=SERVER)
SECRET = frozenset({METRICS_TOKEN.name})
"""Whose values no file or log tells. Databases are refused with a password."""
WORKERS = (DATABASE, SHARED_CRAWL)

OUTPUT = (
    Setting("FOCUSED_METRICS_INTERVAL_SECS", 5.0,
            "Seconds between two lines of the log; 0: none. A line that has not changed is repeated once a minute.",
            least=0, set_by=TOPIC),
    Setting("FOCUSED_HARVEST_WINDOW_PAGES", 100, "Pages over which the recent harvest rate is taken.", least=1, set_by=TOPIC),
    Setting("FOCUSED_HARVEST_EVERY_PAGES", 10, "Pages between two rows of `harvest.csv`.", least=1, set_by=TOPIC),
    Setting("FOCUSED_PAGES_ENABLED", True, "Store relevant pages, with their text, in `pages.jsonl`.", set_by=USER),
    CSV_SAFE,
    COLLECTION,
    MAX_IRRELEVANT,
    MARKDOWN,
    JUDGE_AGAIN_SECS,
    WARC,
    POSTGRESQL,
    METRICS_TOKEN,
)

FOLDERS = (
    Setting("FOCUSED_MODELS_DIR", "",
            "Folder of your own topics; by default `models` of the checkout, or of an installed package "
            "`focused/models` in `$XDG_DATA_HOME` (`~/.local/share`). A name that it lacks is looked for among the "
            "topics that ship with the package; an egg has none.", set_by=SERVER),
    Setting("FOCUSED_RUNS_DIR", "runs", "Folder of run directories.", set_by=SERVER),
    Setting("FOCUSED_WEBS_DIR", "",
            "The only folder from which Scrapyd's clients may name WARC files and files of seeds.", set_by=SERVER),
    Setting("FOCUSED_CACHE_DIR", "",
            "Folder for indexes of WARC files whose own folder cannot be written; by default `$XDG_CACHE_HOME/focused` "
            "or `~/.cache/focused`. The environment variable also says where "
            "the unpacked language model is kept (67 MB).", set_by=SERVER),
)
OF_ENVIRONMENT = (*FOLDERS, DATABASE, POSTGRESQL, METRICS_TOKEN)
"""Environment variables of the same names give these, too."""

RUN = (
    Setting("FOCUSED_RUN_DIR", "",
            "Folder for what the run leaves; by default a new one in FOCUSED_RUNS_DIR.", set_by=USER),
    Setting("FOCUSED_WEB", "",
            "Where pages come from: `live`, `demo`, `hostile` (the demo web with traps), or the path of a WARC file; by "
            "default what the topic says, else `live`.", set_by=USER),
)
