"""What a crawl learns from what it has found: its classifiers, and which links lead to relevant pages."""
