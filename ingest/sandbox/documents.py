"""Parsing of a document of any type, in a child process."""

from changelog_reader.adapters.base import ParsedDocument
from changelog_reader.adapters.registry import ADAPTERS
from ingest.sandbox.parsing import contained, within_budget
from openapi.vocabulary import AdapterType


@contained
def read_document(
    adapter_type: AdapterType, body: bytes, address: str, content_type: str | None
) -> ParsedDocument:
    """Parse a document in this process; every failure is an UnreadableDocument."""
    adapter = ADAPTERS[adapter_type]
    return within_budget(adapter(body, address=address, content_type=content_type))
