"""Many crawls of recorded webs, judged by labels that no crawl sees: which strategy serves a topic best."""
