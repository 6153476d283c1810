"""A web recorded in a WARC file: its index, its records, and the answers to URLs."""

from __future__ import annotations

from focused.webs.recorded.web import RecordedWeb

__all__ = ["RecordedWeb"]
