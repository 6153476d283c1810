"""A frontier that many workers share: PostgreSQL holds it, each worker a part of its hosts."""
