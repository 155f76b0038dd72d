"""How parsing in a child process fails: every failure is an UnreadableDocument."""

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from changelog_reader.adapters.base import UnreadableDocument

ParamsT = ParamSpec("ParamsT")
ResultT = TypeVar("ResultT")


class ParserTimeout(UnreadableDocument):
    """The document kept its parser busy beyond the deadline."""


class ParserCrash(UnreadableDocument):
    """The parser died of the document, ran out of memory, or failed in a way of its own."""


def contained(parse: Callable[ParamsT, ResultT]) -> Callable[ParamsT, ResultT]:
    """Make every failure of a function that parses a document an UnreadableDocument."""

    @wraps(parse)
    def contained_parse(*args: ParamsT.args, **kwargs: ParamsT.kwargs) -> ResultT:
        try:
            return parse(*args, **kwargs)
        except UnreadableDocument:
            raise
        except MemoryError:
            raise ParserCrash("The document needs more memory than a parser may have.") from None
        except Exception as error:  # noqa: BLE001 - of any library's, the caller gets one kind
            raise ParserCrash(f"The parser failed with {type(error).__name__}.") from None

    return contained_parse
