"""One crawl: its plan, its arguments and settings, its run directory, and what its components share."""
