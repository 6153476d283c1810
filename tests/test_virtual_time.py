"""Virtual time: the clock, and crawls by it."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import hand_made
import pytest
from commands import Finished, crawl
from warcs import Warc

from focused import settings as project
from focused.crawl.settings_layers import check_virtual_time
from focused.method.text.languages import detect_language
from focused.webs.recorded import RecordedWeb

DELAY, LATENCY = 0.3, 0.06
HOSTS = "abcd"
N_OF_HOST = 6


@pytest.fixture(scope="module")
def web(tmp_path_factory) -> Path:
    """Four hosts that are found one after another; of each half of the links promise much."""
    warc = Warc(tmp_path_factory.mktemp("web") / "web.warc.gz")
    for number, host in enumerate(HOSTS):
        links = [(f"/{n}", "a telescope" if n % 2 else "a soup") for n in range(1, N_OF_HOST)]
        following = [(f"http://{name}.test/0", "planets in orbit") for name in HOSTS[number + 1 : number + 2]]
        warc.page(f"http://{host}.test/0", hand_made.html(hand_made.STARS, *following, *links))
        for n in range(1, N_OF_HOST):
            warc.page(
                f"http://{host}.test/{n}", hand_made.html(hand_made.STARS if n % 2 else hand_made.FOOD, title=f"{n}")
            )
    warc.path.write_bytes(warc.bytes())
    return warc.path


@pytest.fixture(scope="module")
def models(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models")
    hand_made.topic(seeds=["http://a.test/0"]).save(folder)
    return folder


def latent(secs: float) -> None:
    """Let a recorded web take its time, in the process of a crawl."""
    detect_language("The first page without a declared language loads the model, and holds the crawl up for that long.")
    answer = RecordedWeb.answer
    RecordedWeb.answer = lambda self, url: replace(answer(self, url), latency_secs=secs)


def crawled(models: Path, folder: Path, web: Path, settings: dict[str, Any], **more: Any) -> Finished:
    options = {"FOCUSED_METRICS_INTERVAL_SECS": 0, "CONCURRENT_REQUESTS": 16, "CONCURRENT_REQUESTS_PER_DOMAIN": 1}
    # The pages say the same. How far a link to a copy stands back is found out when its host has its turn, so it depends on
    # which of two pages came some milliseconds sooner.
    options["FOCUSED_TRAPS"] = "off"
    done = crawl(models, folder, web=web, strategy="anchor_text", settings=options | settings, **more)
    assert done.exit_code == 0, done.err
    return done


def order(done: Finished) -> list[str]:
    with (done.run_dir / "fetched.csv").open(newline="") as file:
        return [row["url"] for row in csv.DictReader(file)]


@pytest.mark.slow
def test_pages_come_in_the_order_in_which_a_crawl_that_really_waits_fetches_them(models, web, tmp_path):
    virtual = {"FOCUSED_VIRTUAL_DELAY_SECS": DELAY, "FOCUSED_VIRTUAL_LATENCY_SECS": LATENCY}
    found = order(crawled(models, tmp_path / "virtual", web, virtual))
    assert len(found) == len(HOSTS) * N_OF_HOST
    without_delays = order(crawled(models, tmp_path / "none", web, {}))
    assert found != without_delays  # else it would prove nothing
    # A machine that does something else for 60 ms lets two hosts change places. The order depends on how long one thing takes
    # beside another, not on how long all take: so a busy machine gets more time for all.
    for slower in (1, 2, 4, 8):
        delays = {"DOWNLOAD_DELAY": DELAY * slower, "DOWNLOAD_DELAY_JITTER": 0}
        real = crawled(models, tmp_path / f"real{slower}", web, delays, before=partial(latent, LATENCY * slower))
        if order(real) == found:
            break
    assert order(real) == found


@pytest.mark.parametrize(
    ("web", "given", "problem"),
    [
        ("live", {}, "for recorded and demo webs"),
        ("demo", {"DOWNLOAD_DELAY": 0.5}, "Leave one out"),
        ("demo", {"SCHEDULER": "scrapy.core.scheduler.Scheduler"}, "the project's own SCHEDULER"),
    ],
)
def test_virtual_time_is_refused_where_time_would_not_be_virtual(web, given, problem):
    from scrapy.settings import Settings

    settings = Settings(vars(project) | {"FOCUSED_VIRTUAL_DELAY_SECS": "1"})
    settings.setdict(given, priority="cmdline")
    with pytest.raises(ValueError, match=problem):
        check_virtual_time(web, settings)
