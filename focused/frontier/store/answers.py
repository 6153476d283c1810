"""The answers of a store to a link that it is given: new, merged, known, refused and so on."""

from __future__ import annotations

from focused.frontier.store.caps import DOMAIN_CAP, HOST_CAP

NEW, MERGED, KNOWN, TOO_DEEP = "new", "merged", "known", "too_deep"
OVER_HOST_CAP, OVER_DOMAIN_CAP = "over_host_cap", "over_domain_cap"
OVER_CAP = {HOST_CAP: OVER_HOST_CAP, DOMAIN_CAP: OVER_DOMAIN_CAP}
UNREACHABLE = "unreachable"
"""Its host has been given up: it is kept for the next run."""
SENT = "sent"
"""By the frontier of many workers: what becomes of the link is known when its page is durable."""
TAKEN_OVER = "taken_over"
"""It is a spider's own request for a URL that waits as a link: from now on it waits as that request."""
