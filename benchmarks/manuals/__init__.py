"""Recorded webs made from documentation in Debian packages: how each is built, and how they are crawled."""
