"""Entries, their changes, diffs and deadlines."""
