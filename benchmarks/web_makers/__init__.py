"""Webs of kinds that manuals are not, made of texts and metadata that packages and public corpora bring."""
