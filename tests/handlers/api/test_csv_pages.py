"""/entries.csv: pages of entries for spreadsheets (docs/decisions/0027)."""

import csv
import io
from datetime import timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from handlers.api.csv_pages import COLUMNS, as_csv, escape_formula
from storage.catalog.sources import ids_of
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord, save_entries

HOUR = timedelta(hours=1)
URL = "/api/v1/entries.csv?sources=acme.mail"
COMPUTED = "=+-@\t\r\n"


def rows(data):
    return list(csv.reader(io.StringIO(data.decode(), newline=""), strict=True))


def test_a_page_has_the_entries_of_the_page_in_json(client, new_key, publish):
    key = new_key()
    publish("acme.mail", a=HOUR, b=2 * HOUR)

    response = client.get(URL, headers=key)

    names, *found = rows(response.content)
    items = client.get("/api/v1/entries?sources=acme.mail", headers=key).json()["items"]
    assert tuple(names) == COLUMNS
    assert found == [
        [*(item[name] for name in COLUMNS[:-1]), ";".join(item["tags"])] for item in items
    ]
    assert response.headers["content-type"] == "text/csv; charset=utf-8; header=present"
    assert "entries.csv" in response.headers["content-disposition"]


def test_an_unchanged_page_is_a_304(client, new_key, publish):
    publish("acme.mail", a=HOUR)
    key = new_key()
    etag = client.get(URL, headers=key).headers["etag"]

    response = client.get(URL, headers={**key, "If-None-Match": etag})

    assert (response.status_code, response.content) == (304, b"")
    assert "content-type" not in response.headers


@pytest.mark.parametrize("text", ["=1+1", "\t=1", "＝1"])
def test_a_vendors_formula_is_text(client, new_key, database, now, text):
    entry = EntryText(
        text, "acme.mail", "acme", now, text, "https://acme.example/1", text, {}, [text]
    )
    with database.write() as session:
        source_id = ids_of(session, ["acme.mail"])["acme.mail"]
        written = EntryRecord(entry, "0" * 64, None, 1)
        save_entries(session, source_id, new=[written], edited=[], now=now)

    _, row = rows(client.get(URL, headers=new_key()).content)

    assert [row[place] for place in (0, 4, 6, 7)] == [f"'{text}"] * 4


@example("=cmd|' /C calc'!A0")
@given(st.text(st.characters(codec="utf-8")))
def test_no_cell_begins_a_formula_and_nothing_is_lost(text):
    cell = escape_formula(text)

    assert not cell or cell[0] not in COMPUTED
    assert cell.removeprefix("'") == text.removeprefix("'")


@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=5, max_size=5))
def test_whatever_an_entry_says_stays_in_its_cells(texts):
    entry = dict(zip(("id", "source", "title", "url", "summary"), texts, strict=True))

    names, row = rows(as_csv([{**entry, "tags": ["cloud", "api"]}]))

    found = dict(zip(names, row, strict=True))
    assert found["tags"] == "cloud;api"
    assert {name: found[name] for name in entry} == {
        name: escape_formula(text) for name, text in entry.items()
    }
