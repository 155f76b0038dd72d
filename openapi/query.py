"""The parameters that one request sends; ``openapi.queries`` has a class for each operation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
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
        parameters, read = cls._parameters(), cls.READ
        for name, value in values.items():
            field, _ = parameters[name]
            chosen[field] = read[field](value) if field in read else value
        return cls(**chosen)

    def to_link(self, **changes: Any) -> str:
        """Return the query string of this request with some parameters changed.

        A parameter that has its default is left out unless it is among the changes. Values are
        percent-encoded down to the unreserved characters of RFC 3986 section 2.3.
        """
        sent = []
        for name, (field, default) in self._parameters().items():
            value = changes[field] if field in changes else getattr(self, field)
            if value is not None and (value != default or field in changes):
                items = value if isinstance(value, tuple) else (value,)
                sent.append(f"{name}={'%2C'.join(quote(str(item), safe='') for item in items)}")
        return "&".join(sent)

    @classmethod
    @cache
    def _parameters(cls) -> dict[str, tuple[str, object]]:
        """Return Python's name and the default of each parameter by the contract's name."""
        return {cls.NAMES.get(it.name, it.name): (it.name, it.default) for it in fields(cls)}


def tuple_of(read: Callable[[Any], Item]) -> Callable[[Iterable[Any]], tuple[Item, ...]]:
    """Return what makes a tuple of a list, each item read by ``read``."""
    return lambda values: tuple(map(read, values))
