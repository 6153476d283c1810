"""Bytes to one token stream with its blocks, links and contexts. Knows no topic.

Begin with `reader`, which makes a `page` from bytes. The modules by what they do:

- Reading: `encoding`, `parser_feed`, `walk` (the one walk over a page) with `open_page`, `tags`, `page_notes`, `limits`;
  `marked_text` is its result, `outline` the nodes as arrays, `xml_references`.
- Links: `urls`, `url_features`, `url_kinds`, `link_context`; sitemaps and feeds: `link_source`, `link_list`.
- Parts of a page: `blocks` [P13], `sections` [L16], `text_units` (all that is scored), `own_text`, `counted_terms`.
- What a page says of itself: `claims`, `metadata`, `json_ld`, `dates`, `page_language`, `robots_directives`.
- What people read: `lines`, `main_text`, `furniture_names`, `repeated_lines`; `markdown` with `markdown_lines`,
  `markdown_tables` and `markdown_emphasis`.
- Copies: `text_sketch` of each page, `near_copies` and `copy_index`; `titles`, `triples`, `excerpts`, `item_lists`;
  `page_form` (of one template).
- PDF files: `pdf_process` runs `pdf_child`; `pdf_pages`, `pdf_layout`, `pdf_html`.
"""
