"""Reports for people: one self-contained HTML file each, without a script.

Both read only what an evaluation or a run has left in its folder, and know neither Scrapy nor a strategy's code.
"""

from __future__ import annotations

from focused.evaluation.report.evaluation_report import write_evaluation_report
from focused.evaluation.report.run_report import write_run_report

__all__ = ["write_evaluation_report", "write_run_report"]
