"""Writes Scrapy's CSV feeds, which people open in spreadsheets, without formulas of strangers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.exporters import CsvItemExporter

from focused.utils.csv_cells import safe_cell
from focused.utils.output_settings import CSV_SAFE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.crawler import Crawler
    from scrapy.item import Field
    from typing_extensions import Self


class SafeCsvItemExporter(CsvItemExporter):
    """Writes a text that a spreadsheet would take for a formula with an apostrophe before it.

    Place: ``csv`` of FEED_EXPORTERS.

    Settings: FOCUSED_CSV_SAFE (default True).
    """

    is_safe = True

    @classmethod
    def from_crawler(cls, crawler: Crawler, *args: Any, **kwargs: Any) -> Self:
        """Read the setting."""
        exporter = cls(*args, **kwargs)
        exporter.is_safe = CSV_SAFE.read(crawler.settings)
        return exporter

    def serialize_field(self, field: Mapping[str, Any] | Field, name: str, value: Any) -> Any:
        """Return what stands in a cell."""
        cell = super().serialize_field(field, name, value)
        if not self.is_safe:
            return cell
        return safe_cell(cell.decode(self.encoding or "utf-8", "replace") if isinstance(cell, bytes) else cell)
