"""Retraining: while a crawl runs, its topic's model is trained again from the pages that it has judged.

Begin with `loop`, which runs beside a crawl, and `options`. The modules by what they do:

- Pages come in: `judged_page_intake`, `judged_pages` (the record), `kept_pages`, `page_labels` (which join, and when a
  training is due), `draw_schedule`, `drift`.
- Verdicts come in: `feedback_files`, `verdict_reader`, `verdict_table`, `assessor_agreement`, `feedback_intake`,
  `applied_verdicts`.
- Training, in a process of its own: `training_process` runs it, `training_child` is it, a `training_task` is what it gets.
  `training` adds pages to examples (`augmentation`, `label_noise`, `new_subtopic`, `assumed_positives`); `against_met`
  trains against the pages that the crawl met (`pages_met` with its `met_examples`, `words_met`, `examples_from_elsewhere`,
  `web_furniture`); `judged_sides` checks the result, `retrained_topic` makes a topic of it.
- Before the first training of a crawl: `around_seeds`, `first_training`, `first_threshold`.
- A new model is accepted and takes over: `acceptance`, `acceptance_by_people`; `versions`, `version_store`,
  `model_takeover`, `rescoring`, `shared_rescoring`. `interface` is what that needs of the crawl.
- After a crawl: `judged_again`, `run_labels`, `verdict_examples`.
- For people: `stats`, `model_changes`.
"""
