"""The demo web: generated in process from a seed, deterministic, of any size; and the hostile web, which is one with traps."""

from __future__ import annotations

from focused.webs.demo.hostile import HostileWeb
from focused.webs.demo.web import DemoWeb

__all__ = ["DemoWeb", "HostileWeb"]
