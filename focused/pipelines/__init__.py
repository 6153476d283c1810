"""Item pipelines: classify, learn, count, store."""
