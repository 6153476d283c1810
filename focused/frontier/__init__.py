"""Known links, their priority, and what is fetched next. Knows no DOM and no text.

Begin with `scheduler`, which is Scrapy's scheduler and duplicate filter, and with `interface`: the protocol by which the
rest of the crawl sees its frontier (`crawl_interface`: how the frontier sees its crawl). What is durable is in
`focused.frontier.store`, for many workers in `focused.frontier.shared`. The modules by what they do:

- The ways of a link: `admission` (it comes in), `dispatch` (it is handed out), `completion` (it ends); `link_requests`,
  `leases` (it is under way), `known_links` and `link_levels` (it is found again), `random_links` (it is drawn).
- Which comes next: `politeness` (may its host be asked?), `patience` and `allowance` (is it good enough?), `budget`.
- What sinks: `sinking` brings together `credit`, `collage_groups`, `dead_links`, `url_groups`, `links_about_their_page`,
  `new_text`, `one_title`, `mirrors`, `idle_parameters`, `host_penalty`, `soft_404s`, `soft_404_answers` and
  `pages_before_probes`; `stood_back_words` says so in words.
- Hosts that do not answer: `unreachable`, `host_failures`, `network_outage`; robots.txt: `robots_cache`.
- Crashes: `checkpoints` commits links, counters and files together, `resumption` continues from there; `run_files`,
  `session_records`.
- Its parts are put together by `opening` and seen as `durable_frontier`; `wakeup` calls the engine.
- Other schedulers: `budget_scheduler`, `scrapy_frontier` and `scrapy_job` for Scrapy's own queues; `shared_scheduler` and
  `learning_from_others` where many workers share a crawl.
"""
