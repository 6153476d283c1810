"""The colours of all pages that the project shows, reports and dashboard, as CSS custom properties."""

from __future__ import annotations

LIGHT = "--ink:#1d2126;--soft:#5a626c;--grid:#e3e6ea;--paper:#ffffff;--shade:#f4f6f8;--note:#fff4d6;--edge:#d9a300;"
DARK = "--ink:#e8eaed;--soft:#a4adb8;--grid:#2f353d;--paper:#14161a;--shade:#1d2127;--note:#3a2f10;--edge:#d9a300;"
