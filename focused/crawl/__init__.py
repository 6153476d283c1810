"""One crawl: its plan, its arguments and settings, its run directory, and what its components share.

Begin with `planning`, which makes a crawl's `plan` before its first request, and with `crawl`: its class `Crawl` holds what
the components of one crawl share. The modules by what they do:

- Settings and arguments: `arguments`, `starting_points`, `declared_settings`, `settings_layers`, `presets`, `scope`;
  `scrapy_settings`, `topic_politeness`, `scrapyd_client`, `former_classes` and `old_middlewares` refuse or mend what would
  fail later.
- A page is read and judged: `page_reading`, `pdf_reading`, `pdf_counts`, `reader_and_judge`; `judging` (a page and its
  links get their scores), `judging_in_turn`; `copies`, `repeated_pages`, `furniture`, `checked_merge`.
- Sitemaps and feeds: `source_requests`, `link_sources`; soft 404s: `soft_404_probes`.
- The network: `live_handler`, `private_addresses`, `failures`.
- Figures: `harvest`, `harvest_rows`, `fetched_rows`, `harvest_so_far`, `outlook` (`forecast`, `saturation`, `time_left`),
  `losses`, `alerts`; `figures_by_people`, from verdicts.
- What is delivered: `delivered_files`, `delivered_feeds`, `delivered_words`, `late_delivery`, `own_fields`,
  `final_judging`, `csv_exporter`.
- A run and its resumption: `run_directory`, `feeds`, `run_history`, `resume_command`, `pause`, `words_not_found`.
- Crawls that many workers share: `shared_crawl` (a process joins), `shared_run`, `shared_figures`, `shared_outputs`,
  `shared_pages`, `shared_rows`, `shared_trainer`, `shared_learning`, `shared_verdicts`, `shared_versions`, `followed_run`;
  `shared_alerts`; `patiently` waits for their database.
"""
