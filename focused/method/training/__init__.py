"""From example pages or keywords to a trained topic.

Begin with `from_pages` and `from_keywords`: each counts examples, trains a model (`focused.method.learning.training`), and
returns it. `trained_topic` makes a topic of it. The modules by what they do:

- Examples are found and read: `example_sources`, `example_content`, `example_pdf`, `example_selection`, `page_set`.
- They are counted and kept: `term_counting`, `untitled`, `general_background`, `kept_examples`.
- What is said of them: `example_warnings`. Besides: `seeds`, `chosen_words`.
"""
