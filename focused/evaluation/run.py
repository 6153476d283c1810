"""Run an evaluation, from its options to its files."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from focused.crawl.declared_settings import check_settings
from focused.crawl.scrapy_settings import check_values
from focused.evaluation.crawl_group import DONE, FAILED, CrawlGroup, read_record, record_path, records_folder
from focused.evaluation.display import Display
from focused.evaluation.examples_elsewhere import OtherPages
from focused.evaluation.files import check_same_options, locked, note_options, write_results
from focused.evaluation.pool import Pool
from focused.evaluation.preparation import Repeat, open_evaluated, repeats_of, seeds_of, sha256_of, web_files, web_names
from focused.evaluation.run_json import described, significance
from focused.evaluation.starts import ELSEWHERE, WEB, sources_of
from focused.method.strategies import strategy_class
from focused.method.topic import load_topic
from focused.method.topic.presets import MODERN, load_preset
from focused.utils.crawl_settings import STRATEGY
from focused.utils.file_names import RUN_FILE
from focused.utils.files import write_json
from focused.utils.folder_settings import CACHE_DIR
from focused.utils.places import models_dirs
from focused.utils.words import quantity, with_preset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from focused.evaluation.examples_elsewhere import OtherWeb
    from focused.evaluation.options import Options
    from focused.evaluation.preparation import EvaluatedWeb


@dataclass
class Evaluation:
    """One run of ``scrapy evaluate``.

    ``settings``: the project's with those of the command line. ``command``: reproduces the evaluation. ``say``: shows a line
    to the user. ``track``: wraps a list to show progress.
    """

    options: Options
    folder: Path
    settings: Any
    command: str
    n_jobs: int = 1
    quiet: bool = False
    say: Callable[[str], None] = lambda _: None
    track: Callable[[list[Any], str], Iterable[Any]] = lambda items, _: items
    #: Set by `run`: the records of the crawls, in the order of ``results.csv``.
    records: list[dict[str, Any]] = field(default_factory=list)
    significance: list[dict[str, Any]] = field(default_factory=list)
    #: How many of the records are of crawls that these options name; the others are of earlier runs in the folder.
    _n_own: int = 0

    @property
    def against(self) -> str:
        """The crawls that all others are compared with: those of FOCUSED_STRATEGY, with presets by today's defaults."""
        return with_preset(str(STRATEGY.read(self.settings)), MODERN if self.options.presets else "")

    @property
    def series(self) -> list[str]:
        """The names of all crawls for people: strategies, with their presets; first those that the options name."""
        found = (with_preset(record["strategy"], record["preset"]) for record in self.records)
        return list(dict.fromkeys([*self.options.series, *found]))

    def run(self) -> int:
        """Run the crawls that are left, write the files, and return the number of failed crawls.

        Raises ValueError or OSError if the options are impossible. Finished crawls are kept. Raises KeyboardInterrupt if a
        person stops it; the next run resumes it.
        """
        self._check_settings()
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise ValueError(
                f"The folder {self.folder} cannot be made: {error.strerror}. Choose another: --output DIR"
            ) from None
        with locked(self.folder), ExitStack() as stack:
            webs, kept = self._open(stack)
            repeats = repeats_of(webs, self.options)
            if self.options.elsewhere and ELSEWHERE in self.options.starts:
                self._draw_elsewhere(repeats, self.options.elsewhere)
            note_options(self.folder, kept)
            self._introduce(webs, repeats)
            # The time of all runs together.
            seconds_before = self._seconds_before()
            start = time.monotonic()
            try:
                self._crawl(repeats)
            finally:
                seconds = seconds_before + time.monotonic() - start
                self._write(webs, repeats, seconds)
        return sum(record["state"] == FAILED for record in self.records[: self._n_own])

    def _check_settings(self) -> None:
        """Refuse settings that would make every crawl fail."""
        check_settings(self.settings)
        check_values(self.settings)
        strategy_class(STRATEGY.read(self.settings))

    def _open(self, stack: ExitStack) -> tuple[list[EvaluatedWeb], dict[str, Any]]:
        """Open the webs; return them with the options to note."""
        folders = models_dirs(self.settings)
        options, settings = self.options, self.settings
        for name in {name for web in options.webs for name in web.labels_from}:
            load_topic(name, *folders)  # report an error before reading anything
        files = [web_files(web, settings, self.folder) for web in options.webs]
        digests = {str(path): sha256_of(path) for pair in files for path in pair if path is not None}
        kept = options.kept(digests)
        if check_same_options(self.folder, kept):
            self.say(f"Resuming the evaluation in {self.folder}")
        webs = []
        for name, option, pair in zip(web_names([warc for warc, _ in files]), options.webs, files, strict=True):
            web = open_evaluated(name, option, pair, folders, settings, self.folder, self.track)
            web.background_without = (
                sources_of(name) if options.background_without is None else options.background_without
            )
            stack.callback(web.web.close)
            webs.append(web)
        return webs, kept

    def _draw_elsewhere(self, repeats: Sequence[Repeat], elsewhere: OtherWeb) -> None:
        """Draw the examples from another web."""
        pages, options = OtherPages(elsewhere, self.settings), self.options
        for repeat in repeats:
            key = (options.random_state, repeat.web.name, repeat.topic, repeat.repeat)
            repeat.elsewhere = pages.draw(repeat.topic, options.positives, key)

    def _introduce(self, webs: Sequence[EvaluatedWeb], repeats: Sequence[Repeat]) -> None:
        for web in webs:
            labels = web.labels
            by = f" by the classifier of {', '.join(labels.made_by)}, not by people" if labels.made_by else ""
            self.say(
                f"{web.name}: {len(web.pages):,} pages, {len(labels.of_page):,} of them labelled{by}; "
                f"{labels.n_unlabelled:,} have no label and count as irrelevant"
            )
            if web.web.index.n_damaged:
                self.say(
                    f"  {web.warc} is damaged or cut in {web.web.index.n_damaged} places; it is used with the pages that "
                    f"can be read"
                )
            if labels.unknown:
                self.say(
                    f"  {len(labels.unknown):,} labels are of URLs that are no page of it, e.g. {labels.unknown[0]}"
                )
            if web.background_without and set(self.options.starts) != {WEB}:
                self.say(f"  the general background is used without {', '.join(web.background_without)}")
            if not isinstance(self.options.seeds, int):
                lost = [seed for seed in self.options.seeds if seed not in seeds_of(web, self.options.seeds)]
                if lost:
                    n_seeds = len(self.options.seeds)
                    self.say(f"  {len(lost):,} of {n_seeds:,} seeds are no page of it and left out, e.g. {lost[0]}")
        for repeat in repeats:
            asked, n = self.options.unlabeled, len(repeat.sample.unlabeled)
            if n < asked and repeat.repeat == 1:
                self.say(
                    f"  {repeat.web.name} {repeat.topic}: {n:,} unlabelled pages instead of {asked:,}; there are no more"
                )
            if not repeat.targets:
                self.say(f"  {repeat.web.name} {repeat.topic}, repeat {repeat.repeat}: no relevant page can be reached")

    def _crawl(self, repeats: Sequence[Repeat]) -> None:
        presets = dict.fromkeys(preset for preset, _ in self.options.crawls)
        groups = [
            self._group(repeat, start, preset)
            for repeat in repeats
            for start in self.options.starts
            for preset in presets
        ]
        n_all = sum(len(group.strategies) for group in groups)
        pending = []
        for group in groups:
            left = [strategy for strategy in group.strategies if not self._is_done(group, strategy)]
            if left:
                group.strategies[:] = left
                pending.append(group)
        n_left = sum(len(group.strategies) for group in pending)
        self.say(f"{quantity(n_all, 'crawls')} of {self.options.pages:,} pages; {n_all - n_left} are done already")
        if not pending:
            return
        with Display(n_all, n_all - n_left, self.quiet) as display:
            Pool(self.n_jobs, display).run(pending)

    def _is_done(self, group: CrawlGroup, strategy: str) -> bool:
        record = read_record(record_path(self.folder, group.name, strategy))
        return record is not None and record["state"] == DONE

    def _group(self, repeat: Repeat, start: str, preset: str) -> CrawlGroup:
        options, sample = self.options, repeat.sample
        strategies = [strategy for name, strategy in options.crawls if name == preset]
        learner = load_preset(preset).learner if preset else options.learner
        examples: dict[str, Any] = {}
        of_other: tuple[str, ...] = ()
        if start == ELSEWHERE and options.elsewhere:
            examples = {"examples": repeat.elsewhere, "examples_warc": options.elsewhere.web}
            if options.background_without is None:
                of_other = sources_of(web_names([Path(options.elsewhere.web)])[0])
        return CrawlGroup(
            web=repeat.web.name, warc=str(repeat.web.warc), graph=str(repeat.web.graph_path), topic=repeat.topic,
            name=repeat.model(start, preset), repeat=repeat.repeat, strategies=strategies, positives=sample.positives,
            unlabeled=sample.unlabeled, seeds=sample.seeds, seed_pages=repeat.seed_pages, relevant=repeat.relevant,
            targets=repeat.targets, pages=options.pages, depth=options.depth, concurrency=options.concurrency,
            learner=learner, preset=preset, random_state=options.random_state,
            settings=options.settings | options.virtual_time,
            command=self.command, folder=str(self.folder),
            cache_dir=CACHE_DIR.read(self.settings), start=start,
            background_without=[*dict.fromkeys([*repeat.web.background_without, *of_other])], **examples,
        )  # fmt: skip

    def _seconds_before(self) -> float:
        try:
            return float(json.loads((self.folder / RUN_FILE).read_text(encoding="utf-8"))["seconds"])
        except (OSError, ValueError, KeyError, TypeError):
            return 0.0

    def _write(self, webs: Sequence[EvaluatedWeb], repeats: Sequence[Repeat], seconds: float) -> None:
        """Write all files but the report, also after an interrupt.

        The folder may hold crawls of earlier runs, of other strategies or presets, or of more repeats: they stay in the files.
        """
        paths = [
            record_path(self.folder, repeat.model(start, preset), strategy)
            for repeat in repeats
            for start in self.options.starts
            for preset, strategy in self.options.crawls
        ]
        own = [record for record in map(read_record, paths) if record is not None]
        others = [read_record(path) for path in sorted(set(records_folder(self.folder).glob("*.json")) - set(paths))]
        earlier = [record for record in others if record is not None]
        self.records = [{"start": WEB, "preset": "", **record} for record in [*own, *earlier]]
        self._n_own = len(own)
        write_results(self.folder, self.records)
        against, starts = self.against, list(dict.fromkeys([*self.options.starts, *(r["start"] for r in self.records)]))
        self.significance = significance(self.records, [web.name for web in webs], starts, self.series, against)
        about = {
            "state": "finished" if len(own) == len(paths) else "interrupted",
            "strategies": self.series,
            "starts": starts,
            "command": self.command,
            "default_strategy": against,
            "n_crawls": len(paths) + len(earlier),
            "seconds": round(seconds, 1),
            "significance": self.significance,
        }
        write_json(self.folder / RUN_FILE, described(self.options, webs, repeats, self.records) | about)
