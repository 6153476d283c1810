"""Extensions: what a crawl shows and records.

- For people: `harvest_monitor` (log lines) with `progress_line` and `summary`, `run_file` (``run.json``); `alerts`.
- For programs: `progress_file`, `warc_recorder`, `shared_worker`.
- The process: `early_stop`, `time_limit`, `open_files`, `frozen_start`.
"""
