"""What a crawl collects: one row for each fetched page, in ``collection.sqlite`` of its run directory.

`schema` says what a row holds, `store` writes rows while a crawl runs, and `view` finds them again. No module here loads
Scrapy. The modules by what they do:

- Rows: `page`, `judged_rows`, `verdict_rows`, `recovery` (of a damaged file).
- Search: `word_index`, `index_process`, `search_words`, `marking`.
- Export: `formats` names `as_lines`, `as_markdown`, `as_parquet`, `as_sqlite`, `as_warc`; `joined` (several runs),
  `asked_filter`, `recorded_pages`, `postgresql`.
- The queue of pages to judge: `judging_session` shows page after page; `queue`, `queue_kinds`, `belief`, `page_table`,
  `random_order`, `chosen_page`. A program judges: `assessor`, `assessor_settings`.
- Verdicts as files: `verdict_folder`, `verdict_files`, `verdict_faults`, `verdict_words`.
- Figures from verdicts: `sample`, `figures`, `figure_words`, `judged`, `judged_figures`, `learnt_verdicts`.
"""
