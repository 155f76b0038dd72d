"""The operator's area: what waits for a decision, decided as the commands decide it."""
