"""Versions of releases: which one a tag or title names, and in which order they come."""
