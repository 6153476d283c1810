"""Evaluations of crawl strategies: which there are, how they are run, and what is written about them."""
