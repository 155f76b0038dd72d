"""How parsing in a child process fails: every failure is an UnreadableDocument."""

from collections.abc import Callable
from typing import TypeVar

from ingest.adapters.base import UnreadableDocument

ResultT = TypeVar("ResultT")


class ParserTimeout(UnreadableDocument):
    """The document kept its parser busy beyond the deadline."""


class ParserCrash(UnreadableDocument):
    """The parser died of the document, ran out of memory, or failed in a way of its own."""


def contained(parse: Callable[[], ResultT]) -> ResultT:
    """Return what parsing a document gives; every failure of it is an UnreadableDocument."""
    try:
        return parse()
    except UnreadableDocument:
        raise
    except MemoryError:
        raise ParserCrash("The document needs more memory than a parser may have.") from None
    except Exception as error:  # noqa: BLE001 - whatever a library raises, the caller gets one kind
        raise ParserCrash(f"The parser failed with {type(error).__name__}.") from None
