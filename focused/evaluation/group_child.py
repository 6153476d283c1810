"""The process of one group: trains its topic, and crawls with one strategy after another.

``python -m focused.evaluation.group_child GROUP.json``: each line on stdout is a JSON list about a step that begins or ends.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.evaluation.crawl_group import DONE, FAILED, CrawlGroup, write_record
from focused.utils.files import write_json

if TYPE_CHECKING:
    from focused.evaluation.graph import LinkGraph

logger = logging.getLogger(__name__)
_PARENT = os.getppid()


def main(path: str) -> None:
    """Do the work of a group's file."""
    from scrapy.utils.log import configure_logging
    from scrapy.utils.project import get_project_settings
    from scrapy.utils.reactor import install_reactor

    install_reactor("twisted.internet.asyncioreactor.AsyncioSelectorReactor")
    from focused.evaluation.crawling import crawl_settings

    group = CrawlGroup(**json.loads(Path(path).read_text(encoding="utf-8")))
    settings = crawl_settings(group, get_project_settings())
    configure_logging(settings)
    asyncio.get_event_loop_policy().get_event_loop().run_until_complete(_work(group, settings))


async def _work(group: CrawlGroup, settings: Any) -> None:
    from focused.evaluation.crawling import Crawler
    from focused.evaluation.graph import load_graph
    from focused.evaluation.page_cache import PageCache
    from focused.evaluation.topic_training import is_trained, train, words_of

    if not is_trained(group, settings):
        _say("training")
        try:
            train(group, settings)
        except (ValueError, OSError) as error:
            for strategy in group.strategies:
                _record(group, strategy, {"state": FAILED, "why": f"training: {_line(error)}"})
            return
    graph = load_graph(Path(group.graph))
    if graph is None:
        raise ValueError(f"{group.graph} is missing. Start the evaluation again: that makes it anew.")
    words = words_of(group, settings)
    crawler = Crawler(group, graph, settings, PageCache())
    for strategy in group.strategies:
        if os.getppid() != _PARENT:
            return  # the parent process has ended
        _say("crawling", strategy)
        if strategy == "oracle":
            _write_oracle(group, graph)
        try:
            result = await crawler.crawl(strategy)
        except Exception as error:  # an error of one strategy does not stop the others
            logger.warning("%s, %s: the crawl failed", group.label, strategy, exc_info=True)
            result = {"state": FAILED, "why": _line(error)}
        _record(group, strategy, {**result, "words": words} if words else result)


def _write_oracle(group: CrawlGroup, graph: LinkGraph) -> None:
    from focused.evaluation.oracle import OraclePlan, oracle_scores

    number = graph.page_number
    targets, positives = ([number[url] for url in urls] for urls in (group.targets, group.positives))
    oracle = OraclePlan(graph, targets, positives, group.depth)
    order = oracle.order([number[url] for url in group.seed_pages], group.pages)
    group.oracle_file.parent.mkdir(parents=True, exist_ok=True)
    write_json(group.oracle_file, oracle_scores(graph, order))


def _record(group: CrawlGroup, strategy: str, result: dict[str, Any]) -> None:
    write_record(group, strategy, result)
    _say(result.get("state", DONE), strategy, result.get("why", ""))


def _say(*words: str) -> None:
    print(json.dumps(words), flush=True)


def _line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if isinstance(error, ValueError) and text else f"{type(error).__name__}: {text}"


if __name__ == "__main__":
    main(sys.argv[1])
