"""Example pages to train a topic from: what a user points at, as pages to read or reasons why not."""
