"""Lists what a crawl lost, by the stat that counts it: the log says it at the end, a report shows it."""

from __future__ import annotations

from focused.crawl.old_middlewares import NO_RESULTS
from focused.crawl.own_fields import NOT_KEPT
from focused.crawl.private_addresses import REFUSED
from focused.crawl.repeated_pages import SAME_URL, UNDER_ANOTHER_URL
from focused.frontier.resumption import MISSING

LOSSES = {
    "focused/page/cut_bytes_count": "bytes cut off pages longer than FOCUSED_PAGE_MAX_BYTES",
    "focused/page/cut_unparsed_bytes_count": "bytes left out of pages that are nested too deeply to be read to their end",
    "focused/page/cut_elements_count": "pages with more elements than FOCUSED_PAGE_MAX_ELEMENTS",
    "focused/page/cut_links_over_limit_count": "links beyond FOCUSED_PAGE_MAX_LINKS of a page",
    "focused/page/cut_contexts_count": "link contexts cut at FOCUSED_PAGE_MAX_UNIT_TERMS",
    "focused/links/refused_over_limit_count": "links beyond FOCUSED_PAGE_MAX_LINKS of a page",
    "focused/links/dropped_count": "links dropped below the threshold (FOCUSED_BELOW_THRESHOLD=drop)",
    "focused/links/nofollow_count": "links left out because their pages ask for it (nofollow)",
    "focused/pages/copy_relevant_count": "relevant pages not delivered: copies (duplicate_of in fetched.csv)",
    "focused/pages/noindex_relevant_count": "relevant pages not delivered because they ask for it (noindex)",
    "focused/sources/links_left_count": "links of sitemaps and feeds beyond FOCUSED_SOURCE_MAX_LINKS",
    "focused/sources/over_limit_count": "sitemaps and feeds beyond FOCUSED_SITEMAPS and FOCUSED_FEEDS of a host",
    "focused/sources/failed_count": "sitemaps and feeds that could not be fetched",
    "focused/sources/no_source_count": "answers in place of sitemaps and feeds that are neither",
    "focused/sources/cut_count": "sitemaps and feeds that are too long or broken, read as far as they go",
    "focused/frontier/cut_count": "waiting links forgotten because too many waited (FOCUSED_FRONTIER_MAX_LINKS)",
    "focused/frontier/over_host_cap_count": "links refused: their host had had its pages (FOCUSED_FRONTIER_MAX_PER_HOST)",
    "focused/frontier/host_cap_dropped_count": (
        "waiting links dropped: their host had had its pages (FOCUSED_FRONTIER_MAX_PER_HOST)"
    ),
    "focused/frontier/over_domain_cap_count": (
        "links refused: their domain had had its pages (FOCUSED_FRONTIER_MAX_PER_DOMAIN)"
    ),
    "focused/frontier/domain_cap_dropped_count": (
        "waiting links dropped: their domain had had its pages (FOCUSED_FRONTIER_MAX_PER_DOMAIN)"
    ),
    "focused/scope/not_allowed_count": "links out of scope: allow has none like them",
    "focused/scope/denied_count": "links out of scope: denied",
    "focused/scope/beyond_depth_count": "links out of scope: beyond max_depth",
    "focused/scope/requests_refused_count": "requests out of scope (redirects, or of the spider)",
    "focused/pages/other_language_count": "pages in other languages, which count as not relevant",
    "focused/frontier/too_deep_count": "links refused: too many irrelevant pages in a row (FOCUSED_FRONTIER_MAX_TUNNEL)",
    "focused/frontier/not_durable_count": "requests that waited in memory only; the log names the first, and why",
    UNDER_ANOTHER_URL: "responses repeating a page under another URL (Content-Location)",
    SAME_URL: "pages of the spider's own requests not taken: an earlier page has their URL (the log names the first)",
    "focused/pages/not_text_count": "responses without text (pictures, empty answers)",
    NO_RESULTS: "responses whose results were passed on as they came: a spider middleware returned none (the log names it)",
    "focused/pages/failed_count": "pages that could not be fetched (time-outs, nobody there, endless redirects, too large)",
    "focused/pages/endless_redirects_count": (
        "pages redirected in a circle or without end, as hosts do that want a cookie back (COOKIES_ENABLED=True)"
    ),
    "focused/pages/headers_too_long_count": "responses whose headers were too long or had no end",
    REFUSED: "requests not sent: no public address, neither http nor https (FOCUSED_PRIVATE_ADDRESSES), or no name of a host",
    "focused/pages/not_recorded_count": "URLs not in the recording",
    "focused/store/pages_lost_count": "relevant pages that could not be written",
    MISSING: "bytes that files of this run lost between two starts (gone, or cut short)",
    "focused/postgresql/left_count": "rows not copied to PostgreSQL yet (a resumed crawl copies them)",
    "focused/collection/lost_count": "pages that could not be written to collection.sqlite",
    NOT_KEPT: "values of fields of your own items not kept with their pages (the log names the fields)",
    "focused/store/harvest_lost_count": "rows of harvest.csv that could not be written",
    "focused/store/fetched_lost_count": "rows of fetched.csv that could not be written",
    "focused/warc/failed_count": "WARC records that could not be written",
    "spider_exceptions/count": "responses that failed with an exception",
    "focused/hosts/unreachable_links_count": "links of hosts that could not be reached (a resumed crawl tries them again)",
    "focused/robots/refused_count": "requests not sent because robots.txt could not be had",
    "focused/robots/cut_count": "robots.txt files longer than 512,000 bytes, obeyed as far as read",
    "robotstxt/forbidden": "requests forbidden by robots.txt",
    "httperror/response_ignored_count": "responses with an HTTP error",
}
