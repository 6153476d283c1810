"""Compare strategies: many crawls of recorded webs, judged by labels that no crawl sees."""
