"""The filter in the address of a public feed, as the API reads it (docs/decisions/0114)."""

from typing import Final

from flask import Response, request

from openapi.requests import InvalidParameters
from storage.entries.entry_filter import EntryFilter
from storage.entries.filter_parsing import FILTERS, filter_text, parse_filter

PUBLIC_FILTERS: Final = tuple(name for name in FILTERS if name != "sources")
"""Parameters of public feeds; what else is in an address was always passed over."""


def requested_filter() -> tuple[str, EntryFilter]:
    """Return the filter of this request, as a query string in one form too.

    Raises InvalidParameters.
    """
    sent = {name: ",".join(request.args.getlist(name)) for name in PUBLIC_FILTERS}
    text = filter_text(sent)
    return text, parse_filter(text)


def refuse_filter(error: InvalidParameters) -> Response:
    """Answer with what is wrong with a filter, in one line."""
    return Response(f"{error}\n", status=400, mimetype="text/plain")
