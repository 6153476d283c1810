"""The durable part of the frontier: links, evidence, hosts and page records in one SQLite file."""
