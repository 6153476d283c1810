"""The spider `focused`. It asks for the seeds, and yields each fetched page as an item.

The link middleware (`focused.middlewares.link_scoring`) judges the page and requests its links.
"""
