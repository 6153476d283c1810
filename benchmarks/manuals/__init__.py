"""Recorded webs made of documentation that Debian packages bring: how each is put together, and how they are crawled."""
