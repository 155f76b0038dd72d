"""The reader: entries and diffs of the API in a terminal (docs/client.md)."""
