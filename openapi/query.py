"""The parameters that one request sends; ``openapi.queries`` has a class for each operation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
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
        named = {field.name: cls.NAMES.get(field.name, field.name) for field in fields(cls)}
        return cls(
            **{
                own: cls.READ[own](values[name]) if own in cls.READ else values[name]
                for own, name in named.items()
                if name in values
            }
        )

    def to_link(self, **changes: Any) -> str:
        """Return the query string of this request with some parameters changed.

        A parameter that has its default is left out unless it is among the changes. Values are
        percent-encoded down to the unreserved characters of RFC 3986 section 2.3.
        """
        query = replace(self, **changes) if changes else self
        sent = [
            (self.NAMES.get(field.name, field.name), getattr(query, field.name))
            for field in fields(self)
            if field.name in changes
            or field.default is MISSING
            or getattr(query, field.name) != field.default
        ]
        return "&".join(
            f"{name}={quote(_written(value), safe='')}" for name, value in sent if value is not None
        )


def tuple_of(read: Callable[[Any], Item]) -> Callable[[Iterable[Any]], tuple[Item, ...]]:
    """Return what makes a tuple of a list, each item read by ``read``."""
    return lambda values: tuple(map(read, values))


def _written(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
