"""Compare strategies: many crawls of recorded webs, judged by labels that no crawl sees.

Begin with `run`: from `options` to files. The modules by what they do:

- Preparation: `preparation`; `labels`, `graph` and `graph_build`, `sampling`, `starts`, `examples_elsewhere`.
- Crawls: `pool` runs processes, each a `group_child` with a `crawl_group`; `topic_training`, `crawling`, `page_cache`.
- Results: `measures`, `oracle` (the reference), `files`, `run_json`, `display`. `focused.evaluation.report` draws them.
"""
