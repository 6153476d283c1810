"""Retraining: while a crawl runs, its topic's model is trained again from the pages that it has judged."""
