"""Frames between a pool and its children: length checked, data and no objects.

A request is a function's name with its arguments in MessagePack, a reply is JSON. Either side reads
the types that the function's annotations name and nothing else, so a child that a document has
taken over can send wrong data and no code (docs/decisions/0021).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from inspect import signature
from typing import Any, Final, Generic, TypeVar, get_type_hints

import msgspec

ResultT = TypeVar("ResultT")

LENGTH: Final = 4
"""Bytes before a frame that say how long it is."""
LARGEST_REQUEST: Final = 256 * 1024 * 1024
LARGEST_REPLY: Final = 48 * 1024 * 1024
"""Bytes of a reply; the budget of a document (ingest.sandbox.budget) keeps it far below."""
LONGEST_MESSAGE: Final = 500
"""Characters of what a failure says."""


class BrokenFrame(Exception):
    """Received bytes that are no frame, or not the type that the function returns."""


class Request(msgspec.Struct, array_like=True, frozen=True):
    """A call: seconds of processor time, a function's module and name, and its arguments."""

    cpu_seconds: float
    module: str
    name: str
    arguments: msgspec.Raw


class Failure(msgspec.Struct, array_like=True, frozen=True):
    """An exception in a child: the names of its class and base classes, and its message."""

    kinds: tuple[str, ...]
    message: str


class Reply(msgspec.Struct, array_like=True, frozen=True):
    """The result of a function as JSON, or its failure."""

    result: msgspec.Raw
    failure: Failure | None = None


@dataclass(frozen=True)
class Types(Generic[ResultT]):
    """The argument and return types of a function, by its annotations."""

    arguments: msgspec.msgpack.Decoder[tuple[Any, ...]]
    result: msgspec.json.Decoder[ResultT]


@lru_cache(maxsize=64)
def types_of(function: Callable[..., ResultT]) -> Types[ResultT]:
    """Return the decoders of a function's arguments and of its result."""
    hints = get_type_hints(function)
    taken = tuple(hints[name] for name in signature(function).parameters)
    return Types(
        msgspec.msgpack.Decoder(tuple[taken]),  # type: ignore[valid-type]  # known when it runs
        msgspec.json.Decoder(hints["return"]),
    )


def request_of(
    function: Callable[..., Any], arguments: tuple[object, ...], *, cpu_seconds: float
) -> bytearray:
    """Return the frame that asks for a call: a Request, written in one piece for it may be long."""
    frame = bytearray(LENGTH)
    call = (cpu_seconds, function.__module__, function.__qualname__, arguments)
    _CALLS.encode_into(call, frame, LENGTH)
    frame[:LENGTH] = (len(frame) - LENGTH).to_bytes(LENGTH)
    return frame


def call_of(payload: bytes) -> tuple[float, Callable[..., Any], tuple[Any, ...]]:
    """Return what a request asks for; only the child calls this, with its parent's words."""
    request = _REQUESTS.decode(payload)
    function: Callable[..., Any] = getattr(import_module(request.module), request.name)
    return request.cpu_seconds, function, types_of(function).arguments.decode(request.arguments)


def reply_of(result: object) -> bytes:
    """Return the frame that holds a result."""
    return frame_of(msgspec.json.encode(Reply(msgspec.Raw(msgspec.json.encode(result)))))


def failure_of(error: Exception) -> bytes:
    """Return the frame that says how a call failed."""
    kinds = tuple(kind.__name__ for kind in type(error).__mro__)
    message = str(error)[:LONGEST_MESSAGE].encode("utf-8", "replace").decode()
    return frame_of(msgspec.json.encode(Reply(msgspec.Raw(b"null"), Failure(kinds, message))))


def result_of(function: Callable[..., ResultT], payload: bytes) -> ResultT | Failure:
    """Return what a reply holds. Raises BrokenFrame for one that this function cannot have given.

    ``payload`` may come from a child that does what a document wants.
    """
    try:
        reply = _REPLIES.decode(payload)
        if reply.failure is None:
            result: ResultT = types_of(function).result.decode(reply.result)
            return result
    except (ValueError, RecursionError, OverflowError) as error:
        raise BrokenFrame(str(error)) from None
    return Failure(reply.failure.kinds, _one_line(reply.failure.message))


def frame_of(payload: bytes) -> bytes:
    """Return a payload with its length before it."""
    return len(payload).to_bytes(LENGTH) + payload


def length_of(head: bytes, *, largest: int) -> int:
    """Return the length at the beginning of a frame. Raises BrokenFrame if it is too long."""
    length = int.from_bytes(head)
    if length > largest:
        raise BrokenFrame(f"a frame of {length} bytes")
    return length


def _one_line(message: str) -> str:
    return "".join(filter(str.isprintable, message[:LONGEST_MESSAGE]))


_CALLS: Final = msgspec.msgpack.Encoder()
_REQUESTS: Final = msgspec.msgpack.Decoder(Request)
_REPLIES: Final = msgspec.json.Decoder(Reply)
