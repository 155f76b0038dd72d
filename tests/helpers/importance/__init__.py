"""Training of the weights of ``ingest.importance``, with its data; README.md says how."""
