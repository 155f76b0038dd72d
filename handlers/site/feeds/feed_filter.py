"""The filter in the address of a public feed, as the API reads it (docs/decisions/0114)."""

from typing import Final, NoReturn

from flask import Response, abort, request

from openapi.requests import InvalidParameters
from storage.entries.entry_filter import EntryFilter
from storage.entries.filter_parsing import FILTERS, filter_text, parse_filter

PUBLIC_FILTERS: Final = tuple(name for name in FILTERS if name != "sources")
"""Parameters of public feeds; what else is in an address was always passed over."""


def requested_filter() -> tuple[str, EntryFilter]:
    """Return the filter of this request, as a query string in one form too, or refuse it."""
    sent = {name: ",".join(request.args.getlist(name)) for name in PUBLIC_FILTERS}
    try:
        text = filter_text(sent)
    except InvalidParameters as error:
        refuse(error)
    return text, parse_filter(text)


def filter_or_refuse(text: str) -> EntryFilter:
    """Return the filter of a query string, or refuse it."""
    try:
        return parse_filter(text)
    except InvalidParameters as error:
        refuse(error)


def refuse(error: InvalidParameters) -> NoReturn:
    """Answer with what is wrong, in one line."""
    abort(Response(f"{error}\n", status=400, mimetype="text/plain"))
