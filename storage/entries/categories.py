"""Why an entry is important, as a number with a bit for each category."""

from collections.abc import Iterable
from functools import cache
from types import MappingProxyType
from typing import Final

import orjson

from openapi.vocabulary import Category

BITS: Final = MappingProxyType(
    {Category.BREAKING: 1, Category.DEPRECATION: 2, Category.SECURITY: 4}
)
"""The bit of each category; a new category takes the next one."""


def bits_of(categories: Iterable[Category]) -> int:
    """Return the number of some categories."""
    return sum(BITS[category] for category in set(categories))


def importance_columns(importance: bytes | None) -> dict[str, object]:
    """Return the columns of an entry that say why it is important, by its Importance."""
    categories = () if importance is None else orjson.loads(importance).get("categories", ())
    return {
        "important": importance is not None,
        "categories": bits_of(map(Category, categories)),
        "importance": importance,
    }


@cache
def categories_of(bits: int) -> frozenset[Category]:
    """Return the categories of a number."""
    return frozenset(category for category, bit in BITS.items() if bits & bit)
