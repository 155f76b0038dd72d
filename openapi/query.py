"""Query strings: read strictly, kept as an object, and written into links.

Of a repeated parameter one proxy takes the first, another the last: what can be read in two ways is
refused. ``openapi.queries`` has a class of parameters for each operation.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import quote

from openapi.parsing import Unreadable
from openapi.violations import Violation, printable

Item = TypeVar("Item")
_BROKEN_PERCENT = re.compile(rb"%(?![0-9A-Fa-f]{2})")
_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")


def parse_query(
    raw: bytes, lists: Collection[str] = ()
) -> tuple[dict[str, str], tuple[Violation, ...]]:
    """Return the parameters of a query string by name, and what is wrong with it.

    Those that are ``lists`` may be repeated; their values are joined by commas. Names that are
    wrong are left out, so that each gives one violation only.
    """
    values: dict[str, str] = {}
    wrong: dict[str, Violation] = {}
    names: Counter[str] = Counter()
    for piece in filter(None, raw.split(b"&")):
        raw_name, _, raw_value = piece.partition(b"=")
        try:
            name = _decoded(raw_name)
        except Unreadable as error:
            wrong.setdefault("", Violation("", f"The name of a parameter {error}."))
            continue
        names[name] += 1
        try:
            value = _decoded(raw_value)
            values[name] = (
                f"{values[name]},{value}" if names[name] > 1 and name in values else value
            )
        except Unreadable as error:
            wrong.setdefault(name, Violation(name, f"{printable(name)} {error}."))
    for name, times in names.items():
        if times > 1 and name not in lists:
            sentence = f"{printable(name)} must not be sent more than once."
            wrong[name] = Violation(name, sentence)
    for name in wrong:
        values.pop(name, None)
    return values, tuple(wrong.values())


def _decoded(raw: bytes) -> str:
    """Return the text of a percent-encoded name or value; ``+`` is a space."""
    if not raw.isascii():
        raise Unreadable("must be percent-encoded")
    if _BROKEN_PERCENT.search(raw):
        raise Unreadable("has a % that two hexadecimal digits do not follow")
    octets = _PERCENT.sub(lambda match: bytes.fromhex(match[1].decode()), raw.replace(b"+", b" "))
    try:
        text = octets.decode()
    except UnicodeDecodeError:
        raise Unreadable("must be UTF-8") from None
    if "\x00" in text:
        raise Unreadable("must not contain a NUL character")
    return text


@dataclass(frozen=True, slots=True)
class Query:
    """Parameters by their Python names, typed and with the contract's defaults.

    ``NAMES`` has the contract's name of a parameter where Python calls it otherwise, ``READ`` how
    a validated value becomes the one that is kept here.
    """

    OPERATION: ClassVar[str]
    PATH: ClassVar[str]
    NAMES: ClassVar[Mapping[str, str]] = {}
    READ: ClassVar[Mapping[str, Callable[[Any], object]]] = {}

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the query with validated values, which have the contract's names."""
        chosen: dict[str, Any] = {}
        for field in fields(cls):
            name = cls.NAMES.get(field.name, field.name)
            if name in values:
                read = cls.READ.get(field.name)
                chosen[field.name] = values[name] if read is None else read(values[name])
        return cls(**chosen)

    def to_link(self, **changes: Any) -> str:
        """Return the query string of this request with some parameters changed.

        A parameter that has its default is left out unless it is among the changes. Values are
        percent-encoded down to the unreserved characters of RFC 3986 section 2.3.
        """
        query, sent = replace(self, **changes), []
        for field in fields(self):
            value = getattr(query, field.name)
            is_said = field.name in changes or field.default is MISSING or value != field.default
            if value is not None and is_said:
                text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
                name = self.NAMES.get(field.name, field.name)
                sent.append(f"{name}={quote(text, safe='')}")
        return "&".join(sent)


def tuple_of(read: Callable[[Any], Item]) -> Callable[[Iterable[Any]], tuple[Item, ...]]:
    """Return what makes a tuple of a list, each item read by ``read``."""
    return lambda values: tuple(map(read, values))
