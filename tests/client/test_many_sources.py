"""Lists of more sources than one request may name, and deadlines one by one."""

from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client import Client, InvalidCall
from client.pages import Pages, merged, paged

DAYS = st.lists(st.integers(1, 99), max_size=130)


def pages_of(part, days):
    """Return the walk over a list of entries on these days, the newest first."""
    entries = [
        {"source": part, "id": str(number), "published_at": f"{day:02}"}
        for number, day in enumerate(sorted(days, reverse=True))
    ]

    def fetch(limit, offset):
        return {"total": len(entries), "plan": "all", "items": entries[offset : offset + limit]}

    return paged(fetch)


@given(st.lists(DAYS, min_size=1, max_size=4), st.none() | st.integers(1, 250), st.integers(0, 250))
def test_several_lists_are_one_the_newest_first(parts, limit, offset):
    lists = [pages_of(f"s{number}", days) for number, days in enumerate(parts)]
    expected = sorted((day for days in parts for day in days), reverse=True)

    pages = Pages(merged(lists), limit=limit, offset=offset)

    stop = None if limit is None else offset + limit
    found = list(pages)
    assert [int(entry["published_at"]) for entry in found] == expected[offset:stop]
    assert len({entry["source"] + entry["id"] for entry in found}) == len(found)
    first = pages.first()
    assert (first["total"], first["plan"]) == (len(expected), "all")
    assert first["items"] == found[:100]


def test_a_request_names_at_most_a_hundred_sources(scripted):
    slugs = [f"acme.s{number}" for number in range(230)]
    page = {"total": 0, "limit": 100, "offset": 0, "plan": "all", "items": []}
    server = scripted(*[(200, page)] * 3)

    with Client(server.url, "cw_key") as client:
        assert list(client.entries([*slugs, slugs[0]])) == []

    named = [parse_qs(urlsplit(request.path).query)["sources"][0] for request in server.requests]
    assert [len(text.split(",")) for text in named] == [100, 100, 30]
    assert ",".join(named) == ",".join(slugs)


def test_what_no_address_can_hold_is_an_error_of_ours(scripted):
    slugs = [f"acme.a-rather-long-name-{number}" for number in range(6_244)]

    with Client(scripted((200, {})).url, "cw_key") as client, pytest.raises(InvalidCall) as raised:
        client.changes(sources=slugs)

    assert "Name fewer values" in str(raised.value)
