"""Learning from positive and unlabelled examples: scikit-learn estimators. Knows no HTML and no Scrapy.

Begin with `training`: counts of positive and unlabelled pages in, a `trained_model` out. The estimators are in `estimators`,
those that search for reliable negatives first in `two_step`. The modules by what they do:

- What is learnt from, and by whom: `training_set`, `page_parts`, `learners`, `diagnosis` of examples, `cross_fitting` for
  `held_out` decisions.
- A decision becomes a relevance: `topic_calibration` in steps, by `share_rule`, `calibration`, `pu_calibration`,
  `unit_calibration`, `assumed_relevance`; `threshold`.
- How good it is: `metrics`, `learning_curve`.
- The result: `model` scores text units without any estimator.
- Topics from words: `keywords`, `keywords_met`, `word_classes`, `relevant_for_words`.
- Against the pages that a crawl met: `likely_met`, `sides`, `share_of_relevant`, `share_by_drawn`,
  `two_groups`.
"""
