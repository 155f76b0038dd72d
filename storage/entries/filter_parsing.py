"""From parameters of the contract to the filter of entries and back, for all who read them.

A saved filter is kept as the query string that the API takes, so it means the same everywhere.
"""

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from openapi.queries import ListChanges
from openapi.query import Query
from openapi.validation import contract_validator
from storage.entries.entry_filter import FIELDS, EntryFilter

FILTERS: Final = (*(field.name for field in FIELDS), "q")
"""The parameters that say which entries are meant, by name."""


def entry_filter_of(query: Query, *, but: Collection[str] = ("sources",)) -> EntryFilter:
    """Return the filter that the parameters of an operation say; one without them lets all through.

    By default the sources are left out: who may read them is checked first.
    """
    sent: dict[str, Any] = {name: getattr(query, name, None) for name in FILTERS}
    read = {field.name: field.read for field in FIELDS} | {"q": str}
    values = {
        name: read[name](value)
        for name, value in sent.items()
        if name not in but and value not in (None, ())
    }
    return EntryFilter(**values)


def parse_filter(text: str) -> EntryFilter:
    """Return the filter that a query string says. Raises InvalidRequest."""
    return entry_filter_of(parse_filter_query(text), but=())


@lru_cache(maxsize=1024)
def parse_filter_query(text: str) -> ListChanges:
    """Return the parameters that a query string says. Raises InvalidRequest."""
    values = contract_validator().parameters(ListChanges.OPERATION, text.encode())
    only: dict[str, Any] = {name: values[name] for name in FILTERS if name in values}
    return ListChanges.of(only)


def filter_text(parameters: Mapping[str, str]) -> str:
    """Return the parameters of a filter, in one form, as a query string. Raises InvalidRequest.

    Those that are empty, and those that are no filter, are left out.
    """
    sent = {name: parameters[name].strip() for name in FILTERS if parameters.get(name, "").strip()}
    return parse_filter_query(urlencode(sent)).to_link()
