"""The style sheet of the reports: light, dark, narrow and printed."""

from __future__ import annotations

from focused.evaluation.report.colours import css_variables
from focused.utils.page_colours import DARK, LIGHT

_RULES = """
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 var(--sans) }
main { max-width: 1240px; margin: 0 auto; padding: 20px 24px 60px }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .4em 0 .6em }
h2 { font-size: 1.25rem; margin: 2.2em 0 .5em; border-bottom: 1px solid var(--grid); padding-bottom: .2em }
h3 { font-size: 1.05rem; margin: 1.8em 0 .4em }
h1, h2, h3, p, li, figcaption, td, th, summary, dd { overflow-wrap: anywhere }
p, ul.plain, dl { max-width: 78ch }
a { color: inherit; text-decoration-color: var(--soft); overflow-wrap: anywhere }
.answer { font-size: 1.12rem; max-width: 78ch }
.soft, figcaption, .caption { color: var(--soft); font-size: .875rem }
th .soft, td .soft { font-size: inherit }
p.caption { margin: .6em 0 0 }
.note { background: var(--note); border-left: 4px solid var(--edge); padding: .6em 1em; margin: .8em 0; max-width: 82ch }
.note, .note li { overflow-wrap: anywhere }
.note ul { margin: .3em 0; padding-left: 1.2em }

.grid { display: grid; gap: 20px 28px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 480px), 1fr)) }
.grid.small { gap: 14px 22px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 330px), 1fr)) }
figure { margin: 0; min-width: 0; max-width: 620px; break-inside: avoid }
figure > svg { display: block; width: 100%; height: auto; overflow: visible }
.figure-head { margin: .2em 0 .3em; font-weight: 600; max-width: none }
figcaption { margin-top: .3em }
svg * { stroke-linejoin: round; stroke-linecap: butt }
svg text { font-family: var(--sans) }
svg.key { width: 30px; height: 8px; margin-right: .5em; vertical-align: middle }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2em 1.2em; padding: 0; margin: .2em 0 .6em }
.swatch { display: inline-block; width: .9em; height: .9em; margin-right: .45em; vertical-align: -.08em }
.swatch { print-color-adjust: exact; -webkit-print-color-adjust: exact }

.scroll { overflow-x: auto; margin: .4em 0 1.4em; max-width: 100% }
.scroll:focus-visible { outline: 2px solid var(--edge) }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums }
th, td { padding: .28em .55em; text-align: left; vertical-align: top; border-bottom: 1px solid var(--grid) }
thead th { vertical-align: bottom; border-bottom: 2px solid var(--soft); line-height: 1.25; overflow-wrap: normal }
th { font-weight: 600 }
td { overflow-wrap: normal }
tbody th { white-space: nowrap; max-width: 26em; overflow: hidden; text-overflow: ellipsis }
.wide-text tbody th { white-space: normal; min-width: 14em; max-width: 44em; overflow-wrap: anywhere }
.wide-text td { white-space: normal; max-width: 44em; overflow-wrap: anywhere }
.number, .wide-text .number { text-align: right; white-space: nowrap }
thead .number, .wide-text thead .number { white-space: normal; min-width: 4.6em }
.url { font-weight: 400; font-size: .8rem; color: var(--soft) }
.range { color: var(--soft); font-size: .74rem; display: block }
.best { font-weight: 700; text-decoration: underline; text-underline-offset: 3px }
.better, .worse { font-weight: 700 }

.pages .scroll { max-height: 36rem; overflow-y: auto; border-bottom: 1px solid var(--grid) }
.pages table { width: 100% }
.pages thead th { position: sticky; top: 0; background: var(--paper) }
.pages tbody th { font-weight: 400; white-space: normal; max-width: 60em; width: 75%; overflow-wrap: anywhere }
.pages th > div:first-child { font-weight: 600 }
.excerpt { color: var(--soft); font-size: .8rem }
.search { display: block; margin: .6em 0; font-size: .875rem }
.search[hidden], tr[hidden] { display: none }
.search input { font: inherit; color: inherit; background: var(--shade); border: 1px solid var(--soft); padding: .3em .5em }
.search input { width: min(100%, 24em) }

dl.facts { display: grid; grid-template-columns: minmax(7em, max-content) 1fr; gap: .25em 1.2em; font-size: .9rem }
dl.facts { max-width: none; margin: .4em 0 }
dl.facts dt { color: var(--soft); max-width: 18em; overflow-wrap: anywhere }
dl.facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere }
code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace; font-size: .85rem }
pre { background: var(--shade); padding: .8em 1em; white-space: pre-wrap; overflow-wrap: anywhere }
details { margin: .25em 0 }
summary { cursor: pointer }
ol.path { margin: .3em 0 .9em; padding-left: 2em; font-size: .875rem }

@media (max-width: 600px) {
  main { padding: 12px 14px 40px }
  h1 { font-size: 1.35rem }
  dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0 }
  dl.facts dd { margin-bottom: .5em }
  tbody th { max-width: 16em }
}
@media print {
  html { font-size: 12px }
  body { font-size: 12px }
  main { max-width: none; padding: 0 }
  .grid { grid-template-columns: 1fr 1fr }
  .grid.small { grid-template-columns: 1fr 1fr 1fr }
  .scroll, .pages .scroll { overflow: visible; max-height: none }
  .search { display: none }
  table { font-size: 7pt }
  .many table { font-size: 6pt }
  .many th, .many td { padding: .2em .25em }
  .many tbody th { white-space: normal; max-width: 9em }
  th, td { padding: .2em .3em }
  thead .number, .wide-text thead .number { min-width: 0 }
  thead { display: table-header-group }
  tbody th { max-width: 16em }
  .range { font-size: 6pt }
  tr { break-inside: avoid }
  h2, h3, .figure-head, .caption { break-after: avoid }
  .note { border: 1px solid var(--edge) }
}
"""

STYLE = f"""
:root {{ --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif }}
:root {{ color-scheme: light dark; {LIGHT}{css_variables(dark=False)} }}
@media screen and (prefers-color-scheme: dark) {{ :root {{ {DARK}{css_variables(dark=True)} }} }}
{_RULES}"""
