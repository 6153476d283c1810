"""A frontier that many workers share: PostgreSQL holds it, each worker a part of its hosts.

Begin with `store`, which is for a scheduler what `FrontierStore` is for SQLite, and with `worker`, which holds what one worker
knows in memory. docs/method/many-workers.md says who holds what. The modules by what they do:

- A crawl begins or is joined: `crawls`, `joining`, `beginning`, `worker_terms`.
- Two threads between the reactor and the database: `exchange` connects them, `events` is what they say; `connections`,
  `retrying_connection`, `outage`, `boot_clock`. The `keeper` keeps the lease and has links ready: `keeper_tasks`, `leasing`,
  `lease_statements`. The `committer` makes pages durable: `writer`, `page_statements`, `link_writing`, `ended_links_sql`,
  `outputs`, `commit_result`.
- A page on its way: `page_draft`, `page`, `link_states`, `held_moves`.
- Hosts in memory: `own_hosts`, `own_host`, `links_wanted`, `recent_changes`, `drawn_links`, `memory`.
- Which hosts a worker holds, and how long it waits: `balance`, `crawl_overview`, `demand_exchange`, `own_waiting`,
  `page_budget`, `relevant_goal`.
- What a host's next owner is told: `host_handover`, `host_troubles`, `robots`; all workers: `soft_404s`.
- What workers learn from each other: `lessons`, `orphan_links`; `rows_of_others` reads in an order that skips nothing:
  `records`, `texts`; `versions`, `version_rows`.
- Tables: `schema`, `keys`, `link_rows`, `array_text`; `view` looks from outside.
"""
