"""The page for people: a process of its own that reads run directories, and writes nothing but verdicts.

`focused.dashboard.app` answers requests, `focused.dashboard.guard` refuses those that are not the owner's,
`focused.dashboard.runs` knows the runs of a folder. No module here loads Scrapy.
"""
