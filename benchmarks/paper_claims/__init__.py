"""The five papers as printed: what is crawled, what is drawn, and what became of each claim."""
