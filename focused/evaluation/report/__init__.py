"""Reports for people: each is one self-contained HTML file.

They read only the files of an evaluation or a run, and use neither Scrapy nor the code of strategies.
"""

from __future__ import annotations

from focused.evaluation.report.evaluation_report import write_evaluation_report
from focused.evaluation.report.run_report import write_run_report

__all__ = ["write_evaluation_report", "write_run_report"]
