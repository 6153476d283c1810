"""The demo web: generated in process from a seed, deterministic, of any size."""

from __future__ import annotations

from focused.webs.demo.web import DemoWeb

__all__ = ["DemoWeb"]
