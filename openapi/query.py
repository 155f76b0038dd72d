"""The parameters that one request sends; ``openapi.queries`` has a class for each operation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Self, TypeVar
from urllib.parse import quote

Item = TypeVar("Item")


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
        sent = []
        for field in fields(self):
            value = changes.get(field.name, getattr(self, field.name))
            is_said = field.name in changes or field.default is MISSING or value != field.default
            if value is not None and is_said:
                text = ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
                name = self.NAMES.get(field.name, field.name)
                sent.append(f"{name}={quote(text, safe='')}")
        return "&".join(sent)


def tuple_of(read: Callable[[Any], Item]) -> Callable[[Iterable[Any]], tuple[Item, ...]]:
    """Return what makes a tuple of a list, each item read by ``read``."""
    return lambda values: tuple(map(read, values))
