"""Vendors' text, markup, dates and URLs made safe and plain. Pure."""
