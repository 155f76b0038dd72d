"""Findings of ``changewire stack`` and their formats."""
