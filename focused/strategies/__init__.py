"""Page and topic to a score for every link. One family a file, one registry."""
