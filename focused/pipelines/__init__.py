"""Item pipelines: classify, learn, count, store. Items pass them in the order of their numbers in `focused.settings`.

In that order: `classify`, `retraining` (or `shared_retraining`), `collection`, `verdicts`, `shared_collection`, `harvest`,
`json_lines`, `postgresql`. The first five see every page. `harvest` drops irrelevant ones, so those after it see only pages
that are delivered. `page_end` runs them all, and ends the page after the last one.
"""
