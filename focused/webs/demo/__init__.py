"""The demo web: generated in process from a seed, deterministic, of any size; and the hostile web, which is one with traps.

Begin with `web`, which answers URLs, and `hostile`, which adds `traps`. The modules by what they do:

- What there is: `hosts`, `site` (kind, topic and title of each page), `graph` (who links to whom), `urls`, `special_urls`.
- What a page says: `document`, `prose`, `templates`, `words`, `other_languages`.
- How it looks: `pages` (HTML), `blocks`, `links`.
- Besides: `seeded_random`, `export`, `server`.
"""

from __future__ import annotations

from focused.webs.demo.hostile import HostileWeb
from focused.webs.demo.web import DemoWeb

__all__ = ["DemoWeb", "HostileWeb"]
