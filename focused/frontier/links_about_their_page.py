"""Links about their own page (to print it, to answer it) stand back if such links of their host brought little new text.

Each kind of them (print, answer, share, history) has a URL group of its own, and costs some pages until that group is known to
bring little. Counted together they are known sooner. Pure: no Scrapy, no file.
"""

from __future__ import annotations

from collections import OrderedDict

from focused.utils.about_page import is_about_its_page
from focused.utils.origins import host_of

_PRIOR_PAGES = 2.0
"""A kind is taken to be like the others of its host until so many of its pages were fetched."""
_DECAY = 0.99
"""Each further page of a host leaves this much of what is known of it: some 100 pages count."""
_LEAST = 0.5
"""The least share of new texts that is expected of a kind without pages, whatever the other kinds brought. The further pages
of a thread name the first one, too, and must get a chance."""
_MAX_HOSTS = 20_000


class LinksAboutTheirPage:
    """Counts, for each host, what pages about their own referrer have brought."""

    def __init__(self) -> None:
        #: Of each host: pages, and new ones among them; the latest count most.
        self._hosts: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def add_page(self, url: str, referrer: str, newness: float) -> None:
        """Count a fetched page if it is about the page that led to it. ``newness``: how new its text is, in [0, 1]."""
        if not is_about_its_page(url, referrer):
            return
        host = host_of(url)
        n_pages, n_new = self._hosts.pop(host, (0.0, 0.0))
        self._hosts[host] = _DECAY * n_pages + 1, _DECAY * n_new + newness
        if len(self._hosts) > _MAX_HOSTS:
            self._hosts.popitem(last=False)

    def expected(self, url: str, referrer: str, share: float, n_known: float) -> float:
        """Return the share of new texts, in (0, 1], that is expected of a link.

        ``share``: what its groups say. ``n_known``: pages of the narrowest of them; the more, the more that counts.
        """
        known = self._hosts.get(host_of(url))
        if known is None or not is_about_its_page(url, referrer):
            return share
        about = max(_LEAST, (known[1] + _PRIOR_PAGES) / (known[0] + _PRIOR_PAGES))
        weight = _PRIOR_PAGES / (_PRIOR_PAGES + n_known)
        return min(share, weight * about + (1 - weight) * share)

    def hosts(self) -> list[tuple[str, float, float]]:
        """Return each host with its pages of this kind (100 at most) and the new ones among them."""
        return [(host, n_pages, n_new) for host, (n_pages, n_new) in self._hosts.items()]
