"""Tokens to vocabulary to term weights. Knows no HTML.

- Text to terms: `analyzer`, `tokens`, `languages`, `language_model`.
- Terms to weights: `vocabulary`, `itfidf` [L16], `weighting`.
- What ships with the project: `background` (term counts of other pages), `word_vectors`.
"""
