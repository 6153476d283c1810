"""Clustering of link contexts: CFu-trees, and what they are compared with."""
