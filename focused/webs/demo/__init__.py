"""The demo web: generated, deterministic from a seed, of any size, in process."""

from __future__ import annotations

from focused.webs.demo.web import DemoWeb

__all__ = ["DemoWeb"]
