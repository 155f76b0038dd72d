"""Feeds and calendars for readers."""
