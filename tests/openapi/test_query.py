"""Query objects: what a request sends, and how it is written into an address."""

from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from openapi.contract import load_operations
from openapi.queries import QUERIES, ListLatest, ListSources
from openapi.validation import contract_validator
from openapi.vocabulary import AdapterType

TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=30)


def test_every_operation_that_reads_has_a_query_object():
    assert QUERIES.keys() == {it.operation_id for it in load_operations() if it.method == "GET"}


NEEDING = ("list_entries", "export_entries", "get_diffs", "list_upgrades", "list_deliveries")
"""Operations that need a parameter."""


def test_the_defaults_are_those_of_the_contract():
    for name, query in QUERIES.items():
        if name not in NEEDING:
            assert query() == query.of(contract_validator().parameters(name, b""))


def test_a_link_has_what_was_sent_and_what_was_changed():
    query = ListSources(vendor="acme", adapter_type=AdapterType.RSS, selected="1")

    assert query.to_link() == "vendor=acme&adapterType=rss&selected=1"
    paged = query.to_link(limit=50, offset=0)
    assert paged == "vendor=acme&adapterType=rss&limit=50&offset=0&selected=1"
    assert query.to_link(vendor=None) == "adapterType=rss&selected=1"
    assert ListLatest().to_link() == ""


@given(TEXT, st.integers(0, 900))
def test_whatever_was_sent_is_read_back_as_it_was(text, offset):
    query = ListSources(q=text, vendor="a&b=c", adapter_type=AdapterType.HTML, offset=offset)
    link = query.to_link()

    assert dict(parse_qsl(link, keep_blank_values=True))["q"] == text
    assert link.isascii()
    assert "," not in link
    assert ListSources.of(contract_validator().parameters("list_sources", link.encode())) == query
