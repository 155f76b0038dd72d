"""Metrics, logs and traces, and the record of how the API answered."""
