"""The durable part of the frontier: links, evidence, hosts and page records in one SQLite file.

Begin with `store` (all that can be done to the file), `interface` (the protocol that it shares with
`focused.frontier.shared`) and `schema` (the tables). The modules by what they do:

- What is kept: `link`, `link_table`, `evidence_rows`, `host_numbers`, `page_records`, `texts`.
- A link's states: `link_admission` (it comes in; `answers`), `link_states`, `transaction`, `store_transaction`.
- Which link comes next: `choice`, `host_queue`, `ranks`, `link_order`, `waiting_row`, `standing_back`.
- Counts: `waiting_counts` by `priority_bins`, `worker_demand`, `caps`, `limits`.
- Many links at a time: `rescoring`, `waiting_scores`, `rescoping`, `pruning`, `joined_forms`.
- Files of others: `view` (looks, changes nothing), `soundness`, `recovery`.
"""
