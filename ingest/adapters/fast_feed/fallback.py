"""How this reader gives a document up to feedparser."""


class FallBackToFeedparser(Exception):
    """Something whose meaning is not sure here: feedparser has to read it."""
