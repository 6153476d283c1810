"""Extensions: what a crawl shows and records."""
