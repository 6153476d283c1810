"""Evaluations of crawl strategies: the plan, the runs, the tables and the figures."""
