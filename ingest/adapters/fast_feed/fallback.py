"""The way out of this reader."""


class FallBackToFeedparser(Exception):
    """Something whose meaning is not sure here: feedparser has to read it."""
