"""Small helpers without a better home. Nothing here knows pages, topics or links.

- Settings: `setting` and `parameters` (how one is declared); `crawl_settings`, `frontier_settings`, `output_settings`,
  `folder_settings`.
- Scrapy and the reactor: `reactor`, `steps`, `clock`, `scrapy_internals`, `lean_scrapy`, `log_filters`.
- URLs and hosts: `url_forms`, `url_lists`, `url_rules`, `scope`, `origins`, `registered_domain`, `addresses`,
  `about_page`.
- Files: `files`, `file_names`, `former_files`, `own_files`, `output_files`, `open_files`, `places`, `compression`,
  `content_coding`, `gzip_members`, `warc_records`, `csv_cells`, `csv_fields`.
- Databases: `sqlite_files`, `damaged_tables`, `database`, `embedded_server`.
- Commands and terminals: `project_command`, `program`, `close_names`, `terminal_keys`, `terminal_text`, `words`, `markdown`,
  `page_colours`, `estimates`.
- Else: `plugins`, `finish_reasons`, `http_post`, `heaps`, `numbers`, `version`.
"""
