"""The papers' own comparisons of parts of a learner, repeated on the four corpora.

The papers' comparisons of whole learners are in the table of learners.
"""

from comparisons import clusters, incremental, itfidf, reliable_negatives

COMPARISONS = [module.COMPARISON for module in (reliable_negatives, itfidf, incremental, clusters)]
