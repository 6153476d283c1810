"""Known links, their priority, and what is fetched next. Knows no DOM and no text."""
