"""The papers' own comparisons of parts of a learner, repeated on the four corpora.

What the papers compare between whole learners is in the table of learners.
"""

from comparisons import clusters, incremental, itfidf, reliable_negatives

COMPARISONS = [module.COMPARISON for module in (reliable_negatives, itfidf, incremental, clusters)]
