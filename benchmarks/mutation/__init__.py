"""Small changes of the code, and whether the tests notice them; see `mutants.py`."""
