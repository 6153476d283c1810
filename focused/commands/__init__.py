"""The project's own Scrapy commands.

A command is a module that is named as it is typed: `crawl`, `train`, `explain`, `evaluate`, `report`, `export`, `frontier`,
`judge`, `demo`, `dashboard`. The other modules are parts of one command, and begin with its name:

- `scrapy crawl` with many workers: `crawl_workers` starts them, `crawl_crew` holds their processes, `crawl_watch` watches,
  `crawl_progress` says how it goes, `crawl_folder` keeps the run directory up to date.
- `scrapy train`: `train_options`, `train_examples`, `train_fetching`, `train_looking_around`, `train_learning`,
  `train_report`; from a run `train_from_run`, which asks `train_from_joined_pages`, `train_from_pages_met` or
  `train_from_verdicts`; `train_from_run_words`, `train_put_in_place`, `train_judging_again`.
- `scrapy evaluate`: `evaluate_options`. `scrapy judge`: `judge_session`, `judge_display`, `judge_program`. `scrapy frontier`:
  `frontier_display`, `frontier_recovery`, `link_evidence`. Long work shows its `progress`.
"""
