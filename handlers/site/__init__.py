"""Everything outside /api/v1: machine-readable documents, feeds and pages, on Flask."""
