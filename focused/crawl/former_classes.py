"""Refuses settings with class paths of the previous version, and names the new paths."""

from __future__ import annotations

from typing import Any

from focused.crawl.arguments import PlanError

# Without the name of the package, which is the same.
_FORMER = {
    "frontier.durable.FrontierScheduler": "frontier.scheduler.FrontierScheduler",
    "frontier.scheduler.BudgetScheduler": "frontier.budget_scheduler.BudgetScheduler",
    "frontier.page_end.PageEndItems": "pipelines.page_end.PageEndItems",
    "middlewares.page_end.PageEndItems": "pipelines.page_end.PageEndItems",
    "frontier.page_end.PageEndMiddleware": "middlewares.page_end.PageEndMiddleware",
    "middlewares.LinkScoringMiddleware": "middlewares.link_scoring.LinkScoringMiddleware",
    "waiting_middleware.WaitingLinkMiddleware": "middlewares.waiting_links.WaitingLinkMiddleware",
    "pipelines.ClassifyPipeline": "pipelines.classify.ClassifyPipeline",
    "pipelines.HarvestPipeline": "pipelines.harvest.HarvestPipeline",
    "pipelines.JsonLinesPipeline": "pipelines.json_lines.JsonLinesPipeline",
    "adaptation_pipeline.AdaptationPipeline": "pipelines.retraining.RetrainingPipeline",
    "extensions.HarvestMonitor": "extensions.harvest_monitor.HarvestMonitor",
    "warc.WarcRecorder": "extensions.warc_recorder.WarcRecorder",
    "early_stop.EarlyStop": "extensions.early_stop.EarlyStop",
    "collector.FrozenStart": "extensions.frozen_start.FrozenStart",
}
COMPONENTS = ("SPIDER_MIDDLEWARES", "DOWNLOADER_MIDDLEWARES", "ITEM_PIPELINES", "EXTENSIONS")
"""Settings that map classes to places."""


def refuse_former_classes(settings: Any) -> None:
    """Refuse former paths of components, by a PlanError with the present one."""
    named = [(name, settings.get(name)) for name in ("SCHEDULER", "ITEM_PROCESSOR")]
    named += [(name, path) for name in COMPONENTS for path in settings.getdict(name)]
    for name, path in named:
        if present := _FORMER.get(str(path).removeprefix("focused.")):
            raise PlanError(f"{name} names {path}, which is called focused.{present} now. Use the new path.")
