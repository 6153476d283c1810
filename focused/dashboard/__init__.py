"""The page for people: a process of its own that reads run directories, writes verdicts, and runs the project's commands.

`app` answers requests, `guard` refuses those that are not the owner's, `runs` knows the runs of a folder, `processes` runs
commands, and `site` is what all views share. No module here loads Scrapy. The modules by what they do:

- Who may ask: `guard`, `login`, `connections`, `error_pages`.
- A run: `live`, `harvest_file`, `frontier`, `metrics`; `starting` (views) with `crawls` and `resuming`.
- Its pages: `page_views` and `pages`, `page_models`, `weighed_words`, `exporting`.
- Judging: `judging_room`, `verdicts`, `judged_runs`, `background_work`.
- Topics: `topics`, `beliefs`, `material`, `material_items`, `correcting`, `topic_threshold`; `learning` and `jobs` for
  trainings.
"""
