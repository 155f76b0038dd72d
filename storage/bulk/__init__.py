"""The daily snapshot of all entries (docs/decisions/0041)."""
