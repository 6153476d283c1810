"""Reports for people: each is one self-contained HTML file.

They read only the files of an evaluation or a run, and use neither Scrapy nor the code of strategies.

- Of a crawl: `run_report` with `run_sections`, `model_versions`, `drift`, `delivered_pages`, `pages_section`,
  `judged_section`; `run` (its pages and figures), read by `run_files` and `version_files`.
- Of an evaluation: `evaluation_report` with `results`, `conclusions`, `tables`, `web_section`, `evidence_figures`.
- Both: `figures` on a `canvas`, `colours`, `style`, `markup`, `json_facts`, `files`.
"""

from __future__ import annotations

from focused.evaluation.report.evaluation_report import write_evaluation_report
from focused.evaluation.report.run_report import write_run_report

__all__ = ["write_evaluation_report", "write_run_report"]
