"""Who does the work: a local pool, a queue shared by machines, reclassification."""
