"""Item pipelines: classify, learn, count, store. Items pass them in the order of their numbers in `focused.settings`.

In that order: `classify`, `retraining` (or `shared_retraining`), `collection`, `verdicts`, `shared_collection`, `harvest`,
`json_lines`, `postgresql`. `page_end` runs them, and ends the page after the last one.
"""
