"""The vendors' edge: fetch, parse, decide, store."""
