"""Tokens to vocabulary to term weights. Knows no HTML."""
