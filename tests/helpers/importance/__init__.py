"""Training of the weights of ``changelog_reader.importance``, with its data; README.md says how."""
