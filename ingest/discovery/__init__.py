"""Finds the feed or page at an address that somebody names."""
