"""Bytes to one token stream with its blocks, links and contexts. Knows no topic."""
