"""The page for people: a process of its own that reads run directories, writes verdicts, and runs the project's commands.

`focused.dashboard.app` answers requests, `focused.dashboard.guard` refuses those that are not the owner's,
`focused.dashboard.runs` knows the runs of a folder, `focused.dashboard.processes` runs commands. No module here loads Scrapy.
"""
