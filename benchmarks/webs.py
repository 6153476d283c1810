"""Make webs of kinds that manuals are not: forum, news wire, wiki, shop, small hosts, languages, quotations.

Each is written as NAME.warc.gz, NAME.labels.tsv, NAME.seeds.txt and NAME.about.json, for ``scrapy evaluate --web``. Texts,
labels and most links are people's own: articles, dictionary entries, descriptions of packages. Labels come from metadata
(newsgroups, topics of the newspaper's editors, fields of a dictionary, categories, tags); they stand neither in URLs nor
pages. The same sources and seed give the same bytes.

  forum      20 Newsgroups: threads, members, boards by day (label: newsgroup)
  wire       Reuters-21578: stories by date, places, companies (label: topics of its editors)
  wiki       package dict-gcide: entries with cross references (label: fields of knowledge)
  shop       apt's catalogue of applications: products, licences, makers (label: categories)
  sites      apt's packages, each source on a host of its own, behind lists (label: fields and uses of debtags)
  quotes     packages fortunes, fortunes-min: quotations, authors, days (label: the file of its subject)
  languages  apt's descriptions in seven languages, one host each (label: debtags; a topic is in all languages)

Forum and wire need their archives in the folder of --data; the others need apt-get, its mirror, and for shop PyYAML.

Examples
--------
  python benchmarks/webs.py --out ../webs
  python benchmarks/webs.py --out ../webs --only wiki,shop
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from common import DATA_DIR, ROOT, chosen_names, say
from web_makers.kinds import KINDS
from web_makers.pages import summary
from web_makers.sources import Sources


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "webs", help="folder of the webs")
    parser.add_argument("--only", metavar="NAMES", help="some of them, separated by commas (default: all)")
    parser.add_argument("--data", type=Path, default=DATA_DIR, help="folder of the corpora")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn (default: 1)")
    options = parser.parse_args()
    names = chosen_names(options.only, list(KINDS))
    folder = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        begun = time.monotonic()
        sources = Sources(options.data.resolve(), folder / "sources")
        kind = KINDS[name]
        web = kind.build(kind.read(sources), options.seed)
        about = web.write(folder, sources.versions)
        say(f"{name}: {about['n_pages']} pages, {about['n_hosts']} hosts, {time.monotonic() - begun:.0f} s")
        say(f"  {summary(web)}")
        say(f"  labels: {', '.join(f'{label} {n}' for label, n in about['labels'].items())}")


if __name__ == "__main__":
    main()
