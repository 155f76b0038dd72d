"""GET /entries.csv: pages of entries for spreadsheets (RFC 4180; docs/decisions/0027)."""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson
from starlette.responses import Response

from handlers.api.entries import list_entries
from handlers.context import context
from handlers.http.auth import Caller
from handlers.http.validators import InvalidResponse
from openapi.queries import ExportEntries, ListEntries

COLUMNS: Final = ("id", "source", "vendor", "published_at", "title", "url", "summary", "tags")
_FORMULA: Final = re.compile("[=+\\-@\t\r\n＝＋－＠]")  # how formulas begin


def export_entries(query: ExportEntries, caller: Caller) -> Response:
    """Answer with the page of GET /entries as CSV; it is checked as the JSON that it was."""
    page = list_entries(query, caller)
    body, headers = bytes(page.body), dict(page.headers)
    validator = context().major.validator
    if wrong := validator.response(ListEntries.OPERATION, page.status_code, headers, body):
        raise InvalidResponse(wrong)
    return Response(
        as_csv(orjson.loads(body)["items"]),
        headers={
            "Link": page.headers["Link"],
            "Content-Disposition": 'attachment; filename="entries.csv"',
            "Content-Type": "text/csv; charset=utf-8; header=present",
        },
    )


def as_csv(entries: Iterable[Mapping[str, Any]]) -> bytes:
    """Write ChangelogEntry objects as CSV, with a first row that names the columns.

    ``raw`` has no column, as its fields differ from source to source. Tags are separated by
    semicolons, as in a catalog.
    """
    return csv_of(COLUMNS, ({**entry, "tags": ";".join(entry["tags"])} for entry in entries))


def csv_of(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Write rows as CSV, with a first row that names the columns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(columns)
    for row in rows:
        cells = ("" if row.get(name) is None else row[name] for name in columns)
        writer.writerow([escape_formula(it) if isinstance(it, str) else it for it in cells])
    return text.getvalue().encode()


def escape_formula(cell: str) -> str:
    """Return a text that no spreadsheet evaluates as a formula.

    An apostrophe in front marks it as text; spreadsheets do not show it.
    """
    return f"'{cell}" if _FORMULA.match(cell) else cell
