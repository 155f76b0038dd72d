"""Parsing of a document of any type and classification of its texts, in a child process."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from changelog_reader.adapters.base import ParsedDocument
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.importance import Importance, classify
from ingest.sandbox.parsing import contained, within_budget
from openapi.vocabulary import AdapterType


class Text(NamedTuple):
    """The arguments of ``classify`` for one entry."""

    title: str
    summary: str | None
    published_at: datetime | None
    types: tuple[str, ...]


@contained
def read_document(
    adapter_type: AdapterType, body: bytes, address: str, content_type: str | None
) -> ParsedDocument:
    """Parse a document in this process; every failure is an UnreadableDocument."""
    adapter = ADAPTERS[adapter_type]
    return within_budget(adapter(body, address=address, content_type=content_type))


def classify_texts(texts: Sequence[Text]) -> tuple[Importance, ...]:
    """Classify each text: a vendor's text is hostile."""
    return tuple(
        classify(text.title, text.summary, published_at=text.published_at, types=text.types)
        for text in texts
    )
