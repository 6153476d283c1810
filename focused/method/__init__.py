"""The method: everything that is computed about pages and links. Loads no Scrapy.

A page goes through the rooms in this order: `page` (bytes to tokens, blocks and links), `text` (tokens to weighted terms),
`topic` (its judge gives each text a relevance), `scoring` and `strategies` (a score for each link). `learning` and `training`
make a topic's model from examples. `explanation` says why a page or a link is judged as it is.
"""
