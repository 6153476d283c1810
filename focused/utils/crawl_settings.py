"""Declares the settings of the crawl itself: budget, links, pages, scope, link sources, addresses."""

from __future__ import annotations

from focused.utils.setting import SERVER, TOPIC, USER, Setting

# fmt: off
TOPIC_NAME = Setting(
    "FOCUSED_TOPIC", "",
    "Topic of the spiders of another project that name none themselves: [own project](../how-to/own-project.md).",
    set_by=USER)
STRATEGY = Setting(
    "FOCUSED_STRATEGY", "adaptive", "How links are scored. A topic may give a name only.", names_class=True,
    set_by=TOPIC)
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
LINK_SCORING_ENABLED = Setting(
    "FOCUSED_LINK_SCORING_ENABLED", True,
    "False: no priorities; pages are fetched in the order their links were found.", set_by=USER)
MERGE_EVIDENCE = Setting(
    "FOCUSED_MERGE_EVIDENCE", True,
    "True: all pages that link to a waiting link count; False: the first one alone, as in the papers. Changes "
    "nothing for strategies that do not merge: `adaptive`, `breadth_first`, `depth_first`, `random`, `oracle`.",
    set_by=TOPIC)
OBEY_NOINDEX = Setting(
    "FOCUSED_OBEY_NOINDEX", True,
    "True: what a page asks of robots in `<meta name=robots>` or `X-Robots-Tag` is obeyed: a page that says `noindex` is "
    "counted and not delivered, and of one that says `nofollow` no link is followed. On recorded webs and the demo web it is "
    "False unless `-s` says otherwise.", set_by=USER)
COPIES = Setting(
    "FOCUSED_COPIES", "on",
    "Whether a page that says the same as one met before, or a part of a relevant one of its host, is a copy: counted and not "
    "delivered, `duplicate_of` the other. Evaluations have it off unless `-s` says otherwise: labels count every "
    "copy.", choices=("on", "off"), set_by=TOPIC)
NOFOLLOW_ENABLED = Setting(
    "FOCUSED_NOFOLLOW_ENABLED", False,
    "True: links with `rel=nofollow`, and those of pages that say it in `<meta name=robots>`, are left out, whatever "
    "FOCUSED_OBEY_NOINDEX says.", set_by=USER)
CONTACT = Setting(
    "FOCUSED_CONTACT", "", "URL or address that site owners can turn to; it is added to the `USER_AGENT`.",
    set_by=USER)
PRIVATE_ADDRESSES = Setting(
    "FOCUSED_PRIVATE_ADDRESSES", "seeds",
    "Which addresses are asked that are not public (this machine, its network, a cloud's metadata): those of `seeds` on the "
    "command line, by host and port; none (`refuse`); all (`allow`). [Who may be asked](../method/addresses.md).",
    choices=("seeds", "refuse", "allow"), set_by=SERVER)

PAGE_READER = Setting(
    "FOCUSED_PAGE_READER", "", "Class that reads pages; by default the project's own.", names_class=True, set_by=USER)
PAGE_CLASSIFIER = Setting(
    "FOCUSED_PAGE_CLASSIFIER", "",
    "Class that judges pages; by default the project's own, by the topic's model.", names_class=True, set_by=USER)

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

RUN_DIR = Setting(
    "FOCUSED_RUN_DIR", "",
    "Folder for what the run leaves; by default a new one in FOCUSED_RUNS_DIR.", set_by=USER)
WEB = Setting(
    "FOCUSED_WEB", "",
    "Where pages come from: `live`, `demo`, `hostile` (the demo web with traps), or the path of a WARC file; by "
    "default what the topic says, else `live`.", set_by=USER)

CRAWL = (
    *(TOPIC_NAME, STRATEGY, MAX_PAGES, MAX_RELEVANT, MAX_MINUTES, BELOW_THRESHOLD, LINK_SCORING_ENABLED, MERGE_EVIDENCE),
    *(OBEY_NOINDEX, COPIES, NOFOLLOW_ENABLED, CONTACT, PRIVATE_ADDRESSES),
)
SCOPE = (ALLOW, DENY, LANGUAGES)
SOURCES = (SITEMAPS, SITEMAPS_WHEN, FEEDS, SOURCE_MAX_LINKS)
RUN = (RUN_DIR, WEB)
