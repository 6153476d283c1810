"""Declares the settings of the frontier: its limits, what sinks, and the database that workers share."""

from __future__ import annotations

from focused.utils.setting import SERVER, TOPIC, USER, Setting

# fmt: off
MAX_LINKS = Setting(
    "FOCUSED_FRONTIER_MAX_LINKS", 10_000_000,
    "Links that may wait; beyond that the worst eighth is forgotten, in slices. 0: no limit.", least=0, set_by=TOPIC)
MAX_PER_HOST = Setting(
    "FOCUSED_FRONTIER_MAX_PER_HOST", 0,
    "Pages of a host that are ever fetched; then its waiting links are dropped and new ones refused. 0: no "
    "limit.", least=0, set_by=TOPIC)
MAX_PER_DOMAIN = Setting(
    "FOCUSED_FRONTIER_MAX_PER_DOMAIN", 0,
    "The same for a registered domain (`example.co.uk`) with all hosts below it. 0: no limit.", least=0,
    set_by=TOPIC)
MAX_TUNNEL = Setting(
    "FOCUSED_FRONTIER_MAX_TUNNEL", 0,
    "Irrelevant pages in a row that a link may lie behind; of several ways there the shortest counts. 0: no "
    "limit.", least=0, set_by=TOPIC)
HOST_SINK = Setting(
    "FOCUSED_FRONTIER_HOST_SINK", 0.0,
    "How far a host sinks whose pages prove irrelevant; 1: in the end by a whole scale of scores; 0: not at all.",
    least=0, set_by=TOPIC)

TRAPS = Setting(
    "FOCUSED_TRAPS", "on",
    "Whether links stand back if their folder, host or query parameter yields copies, little that is new, or pages of one "
    "title that bring little, or pages about the page that they stand on do so there, or if their domain yields nothing "
    "relevant while others do, or has had more than its share; and whether query parameters that change nothing are left "
    "out where URLs are compared. Evaluations have it off unless `-s` says otherwise.",
    choices=("on", "off"), set_by=TOPIC)
DOMAIN_SHARE = Setting(
    "FOCUSED_DOMAIN_SHARE", 0.2,
    "With FOCUSED_TRAPS: share of the pages from which a registered domain, with all its subdomains, stands back "
    "behind good links of others. 0: none does.", least=0, most=1, set_by=TOPIC)

SOFT_404_PROBES = Setting(
    "FOCUSED_SOFT_404_PROBES", 20,
    "With FOCUSED_TRAPS and FOCUSED_COPIES: how many hosts with many pages are asked for two made-up addresses. Pages like "
    "the answer are soft 404s, and count as copies of it. Live webs only. 0: none.",
    least=0, set_by=TOPIC)

DATABASE = Setting(
    "FOCUSED_DATABASE", "",
    "Database in which workers share a crawl: `postgresql://me@host/database`, without a password. Empty: the crawl is this "
    "process's own. [Many workers](../method/many-workers.md).", set_by=SERVER)
SHARED_CRAWL = Setting(
    "FOCUSED_CRAWL", "",
    "With FOCUSED_DATABASE: name of the crawl there, which this process joins, or begins if there is none. As spider argument "
    "`crawl`.", set_by=USER)

FRONTIER = (MAX_LINKS, MAX_PER_HOST, MAX_PER_DOMAIN, MAX_TUNNEL, HOST_SINK)
SINKING = (TRAPS, DOMAIN_SHARE, SOFT_404_PROBES)
WORKERS = (DATABASE, SHARED_CRAWL)
