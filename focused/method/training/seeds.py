"""The seeds of a topic: those that a user names, or URLs of the examples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from focused.method.training.example_sources import FILES_ORIGIN
from focused.utils.url_lists import asked_for, http_url, names_urls, split_urls, url_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

N_SEEDS = 10


class SeedError(ValueError):
    """A seed is no URL; the message names the first."""


def read_seeds(values: Iterable[str]) -> list[str]:
    """Return seeds from URLs and from files with one URL a line, each once. A value may hold several URLs, as in a crawl.

    >>> read_seeds(["http://a.example/ https://b.example/x,y,http://c.example/", "http://a.example/"])
    ['http://a.example/', 'https://b.example/x,y', 'http://c.example/']

    Raises SeedError if a value is neither a URL nor a file of URLs.
    """
    seeds: list[str] = []
    for value in (part for each in values for part in (split_urls(each) if names_urls(each) else [each])):
        url = http_url(value)
        seeds += [url] if url else _read_file(value)
    return list(dict.fromkeys(seeds))


def _read_file(value: str) -> list[str]:
    try:
        lines = url_lines(Path(value))
    except (FileNotFoundError, IsADirectoryError):
        raise SeedError(
            f"Seeds must be http or https URLs, or a file with one a line. Got {value!r}."
            f"{asked_for(value, '--seeds ') or ' Example: http://stars.example/'}"
        ) from None
    except (OSError, ValueError) as error:
        raise SeedError(f"The seeds in {value} cannot be read: {error}. Write one URL a line.") from None
    for number, line, url in lines:
        if url is None:
            raise SeedError(
                f"Seeds must be http or https URLs. Line {number} of {value} is {line[:100]!r}.{asked_for(line.split()[0])}"
            )
    if not lines:
        raise SeedError(f"{value} holds no seeds. Write one URL a line.")
    return [url for _, _, url in lines if url]


def seeds_from(urls: Iterable[str], n: int = N_SEEDS) -> list[str]:
    """Return up to n of the pages' URLs, from as many hosts as possible; made-up URLs of files are left out.

    >>> seeds_from(["http://a/1", "http://a/2", "http://b/1", "http://files.invalid/x"], 2)
    ['http://a/1', 'http://b/1']
    """
    by_host: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        if not url.startswith(f"{FILES_ORIGIN}/"):
            by_host.setdefault(urlsplit(url).netloc, []).append(url)
    ranked = [(place, host, url) for host, (*found,) in enumerate(by_host.values()) for place, url in enumerate(found)]
    return [url for _, _, url in sorted(ranked)[:n]]
