"""Metrics and traces: what is counted, and what spans say."""
