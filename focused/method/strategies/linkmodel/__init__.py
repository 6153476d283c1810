"""The strategy ``adaptive``: a model of links that learns from the outcomes of the crawl.

Begin with `adaptive`, the strategy, and `session`, what a crawl asks of it. Behind it stands `learner`, which learns from the
pages one by one, with long work done by `work_in_portions`; `heard_again` is about many workers. The modules by what they do:

- What is remembered: `memory` of links and pages, in `memory_tables`, with `groups`, `growing_table`, `key_numbers`,
  `known_pages`; `page_links` and `anchor_texts` are what a page says; `forgetting`.
- The `model` is fitted to `raised_outcomes`: `training_matrix`, `rates`, `loss`, `descent`, from a `prior` that `examples`
  give.
- A link is scored: `scorer`, with `seed_shares`, `former_seeds`, `discovery` (what lies behind), `exploration` and
  `recent_harvest`; `score_updates` tells the frontier, `link_reasons` says why in words.
"""
