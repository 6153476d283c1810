"""A web recorded in a WARC file: its index, its records, and the answers to URLs.

`web` is the recorded web, `answer` what every web has in common. `index`, `index_store` and `index_rows` find pages;
`warc_file`, `warc_record`, `byte_source` and `http_message` read them.
"""

from __future__ import annotations

from focused.webs.recorded.web import RecordedWeb

__all__ = ["RecordedWeb"]
