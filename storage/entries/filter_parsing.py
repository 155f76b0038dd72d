"""From parameters of the contract to the filter of entries and back, for all who read them.

A saved filter is kept as the query string that the API takes, so it means the same everywhere.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Any, Final
from urllib.parse import urlencode

from openapi.parsing import parse_instant
from openapi.queries import ListChanges
from openapi.query import Query
from openapi.validation import contract_validator
from storage.entries.entry_filter import EntryFilter

FILTERS: Final = (
    "sources",
    "vendor",
    "tag",
    "kind",
    "category",
    "since",
    "until",
    "q",
    "prerelease",
)
"""The parameters that say which entries are meant, by name."""

_PRERELEASE: Final = {None: None, "true": True, "false": False}


def entry_filter_of(query: Query) -> EntryFilter:
    """Return the filter that the parameters of an operation say; one without them lets all through.

    The sources are left out: who may read them is checked first.
    """
    return EntryFilter(
        vendor=getattr(query, "vendor", None),
        tag=getattr(query, "tag", None),
        kind=getattr(query, "kind", None),
        categories=frozenset(getattr(query, "category", None) or ()),
        since=_instant(getattr(query, "since", None)),
        until=_instant(getattr(query, "until", None)),
        q=getattr(query, "q", None),
        prerelease=_PRERELEASE[getattr(query, "prerelease", None)],
    )


def parse_filter(text: str) -> EntryFilter:
    """Return the filter that a query string says. Raises InvalidParameters."""
    query = parse_filter_query(text)
    filter_ = entry_filter_of(query)
    sources = None if query.sources is None else frozenset(query.sources)
    return replace(filter_, sources=sources)


@lru_cache(maxsize=1024)
def parse_filter_query(text: str) -> ListChanges:
    """Return the parameters that a query string says. Raises InvalidParameters."""
    values = contract_validator().parameters(ListChanges.OPERATION, text.encode())
    only: dict[str, Any] = {name: values[name] for name in FILTERS if name in values}
    return ListChanges.of(only)


def filter_text(parameters: Mapping[str, str]) -> str:
    """Return the parameters of a filter, in one form, as a query string. Raises InvalidParameters.

    Those that are empty, and those that are no filter, are left out.
    """
    sent = {name: parameters[name].strip() for name in FILTERS if parameters.get(name, "").strip()}
    return parse_filter_query(urlencode(sent)).to_link()


def _instant(text: str | None) -> datetime | None:
    return None if text is None else parse_instant(text)
