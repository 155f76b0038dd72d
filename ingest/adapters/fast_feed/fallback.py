"""The exception that leaves an item or a document to feedparser."""


class FallBackToFeedparser(Exception):
    """Unusual markup that feedparser has to read."""
