"""The names of the files that crawls and evaluations keep in their folders."""

from __future__ import annotations

from focused.utils.former_files import FORMER_FILES

#: Of a crawl, and of an evaluation: how it was started and how it ended.
RUN_FILE = "run.json"
#: The finish reason in a crawl's ``run.json`` until it ends; one that was killed keeps it.
RUNNING = "running"
PAGES_FILE, HARVEST_FILE, FETCHED_FILE, WARC_FILE = "pages.jsonl", "harvest.csv", "fetched.csv", "pages.warc.gz"
FRONTIER_FILE = "frontier.sqlite"
#: With what SQLite keeps beside it, and its lock.
FRONTIER_FILES = (FRONTIER_FILE, *(f"{FRONTIER_FILE}{end}" for end in ("-wal", "-shm", "-journal", ".lock")))
COLLECTION_FILE = "collection.sqlite"
COLLECTION_FILES = (COLLECTION_FILE, *(f"{COLLECTION_FILE}{end}" for end in ("-wal", "-shm", "-journal")))
#: Where a crawl stands, for whoever watches it; alerts that began and ended.
PROGRESS_FILE, ALERTS_FILE = "progress.json", "alerts.jsonl"
#: Of a run directory that follows a crawl in a database: which one.
DATABASE_FILE = "database.json"
#: In it: a folder of each worker of this machine.
WORKERS_FOLDER = "workers"
#: Folder of people's verdicts on the pages of a run.
VERDICTS_FOLDER = "verdicts"
#: The versions of a crawl's model, and the pages that each judged.
VERSIONS_FILE, RETRAINING_FILE = "versions.jsonl", "retraining.jsonl"
#: The versions themselves.
VERSIONS_FOLDER = "versions"
PREVIOUS_FOLDER = "previous"
"""In a topic's directory: the former topic, laid out as a models folder."""
CRAWL_FILES = frozenset(
    {
        *(RUN_FILE, PAGES_FILE, HARVEST_FILE, FETCHED_FILE, WARC_FILE, PROGRESS_FILE, ALERTS_FILE),
        *(DATABASE_FILE, *FRONTIER_FILES, "frontier.id", *COLLECTION_FILES),
        *(VERSIONS_FILE, RETRAINING_FILE, "retraining-task.json", "harvest-task.json", *FORMER_FILES),
    }
)
"""The files of a crawl's run directory; it also has the folders VERSIONS_FOLDER and VERDICTS_FOLDER."""

RESULTS_FILE, CURVES_FILE, OPTIONS_FILE = "results.csv", "curves.csv", "options.json"
EVALUATION_FILES = frozenset({RUN_FILE, RESULTS_FILE, CURVES_FILE, OPTIONS_FILE})
