"""Frames between a pool and its children: length checked, data and no objects.

A request is a function's name with its arguments in MessagePack, a reply is JSON. Either side reads
the types that the function's annotations name and nothing else, so a child that a document has
taken over can send wrong data and no code (docs/decisions/0021).
"""

from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from inspect import signature
from typing import Any, Final, TypeVar, get_type_hints

import msgspec

ResultT = TypeVar("ResultT")

LENGTH_BYTES: Final = 4
"""Bytes before a frame that say how long it is."""
LARGEST_REQUEST_BYTES: Final = 256 * 1024 * 1024
LARGEST_REPLY_BYTES: Final = 48 * 1024 * 1024
"""Bytes of a reply; the budget of a document (ingest.sandbox.parsing) keeps it far below."""
LONGEST_MESSAGE: Final = 500
"""Characters of what a failure says."""
_CALLS: Final = msgspec.msgpack.Encoder()
_REQUESTS: Final = msgspec.msgpack.Decoder(tuple[float, str, str, msgspec.Raw])


class BrokenFrame(Exception):
    """Received bytes that are no frame, or not what the function returns or raises."""


class Failure(msgspec.Struct, array_like=True, frozen=True):
    """An exception in a child: the names of its class and base classes, and its message."""

    kinds: tuple[str, ...]
    message: str


@lru_cache(maxsize=64)
def decoders_of(
    function: Callable[..., ResultT],
) -> tuple[msgspec.msgpack.Decoder[tuple[Any, ...]], msgspec.json.Decoder[ResultT]]:
    """Return the decoders of a function's arguments and of its result."""
    hints = get_type_hints(function)
    taken = tuple(hints[name] for name in signature(function).parameters)
    arguments = msgspec.msgpack.Decoder(tuple[taken])  # type: ignore[valid-type]  # known when it runs
    return arguments, msgspec.json.Decoder(hints["return"])


def request_of(
    function: Callable[..., Any], arguments: tuple[object, ...], *, cpu_seconds: float
) -> bytearray:
    """Return the frame that asks for a call, written in one piece for it may be long."""
    frame = bytearray(LENGTH_BYTES)
    call = (cpu_seconds, function.__module__, function.__qualname__, arguments)
    _CALLS.encode_into(call, frame, LENGTH_BYTES)
    frame[:LENGTH_BYTES] = (len(frame) - LENGTH_BYTES).to_bytes(LENGTH_BYTES)
    return frame


def call_of(payload: bytes) -> tuple[float, Callable[..., Any], tuple[Any, ...]]:
    """Return what a request asks for; only the child calls this, with its parent's words."""
    cpu_seconds, module, name, arguments = _REQUESTS.decode(payload)
    function: Callable[..., Any] = getattr(import_module(module), name)
    return cpu_seconds, function, decoders_of(function)[0].decode(arguments)


def reply_of(result: object) -> bytes:
    """Return the frame that holds a result."""
    return _frame_of(msgspec.json.encode((msgspec.Raw(msgspec.json.encode(result)), None)))


def failure_of(error: Exception) -> bytes:
    """Return the frame that says how a call failed."""
    kinds = tuple(kind.__name__ for kind in type(error).__mro__)
    message = str(error)[:LONGEST_MESSAGE].encode("utf-8", "replace").decode()
    return _frame_of(msgspec.json.encode((None, Failure(kinds, message))))


def result_of(function: Callable[..., ResultT], payload: bytes) -> ResultT | Failure:
    """Return what a reply holds. Raises BrokenFrame for one that this function cannot have given.

    ``payload`` may come from a child that does what a document wants.
    """
    try:
        result, failure = _REPLIES.decode(payload)
        if failure is None:
            returned: ResultT = decoders_of(function)[1].decode(result)
            return returned
    except (ValueError, RecursionError, OverflowError) as error:
        raise BrokenFrame(str(error)) from None
    message = "".join(filter(str.isprintable, failure.message[:LONGEST_MESSAGE]))
    return Failure(failure.kinds, message)


def _frame_of(payload: bytes) -> bytes:
    """Return a payload with its length before it."""
    return len(payload).to_bytes(LENGTH_BYTES) + payload


def length_of(head: bytes, *, largest: int) -> int:
    """Return the length at the beginning of a frame. Raises BrokenFrame if it is too long."""
    length = int.from_bytes(head)
    if length > largest:
        raise BrokenFrame(f"a frame of {length} bytes")
    return length


_REPLIES: Final = msgspec.json.Decoder(tuple[msgspec.Raw, Failure | None])
