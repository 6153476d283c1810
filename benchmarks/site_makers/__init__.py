"""Sites of one host each, honest pages with traps among them, whose truth is known: for ``trap_sites.py``."""
