"""Classification of many texts at once, as a child process does it: a vendor's text is hostile."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ingest.importance.classify import classify
from ingest.importance.results import Importance


class Text(NamedTuple):
    """What is classified of an entry, as ``classify`` takes it."""

    title: str
    summary: str | None
    published_at: datetime
    types: tuple[str, ...]


def classify_texts(texts: Sequence[Text]) -> tuple[Importance, ...]:
    """Classify each text."""
    return tuple(
        classify(text.title, text.summary, published_at=text.published_at, types=text.types)
        for text in texts
    )
