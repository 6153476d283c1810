"""Small helpers without a better home. Nothing here knows pages, topics or links."""
