"""Requests are read by the contract, and what is wrong is told in sentences."""

import json
from functools import partial
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openapi.contract import load_operations
from openapi.requests import InvalidRequest
from openapi.validation import contract_validator


def checked(check, *sent):
    try:
        return SimpleNamespace(value=check(*sent), violations=())
    except InvalidRequest as refused:
        return SimpleNamespace(value=None, violations=refused.violations)


checked_parameters = partial(checked, contract_validator().parameters)
checked_body = partial(checked, contract_validator().body)
PAGE = {"limit": 50, "offset": 0}
ENTRIES = b"sources=a.b&since="
NO_NUMBER = "limit must be a whole number written like 20."
NO_INSTANT = "since must be a date and time with an offset such as 2026-11-01T00:00:00Z."
NO_ITEM = "sources has an empty item: write one comma between two items."
NO_SLUG = "must look like kubernetes.kubernetes."


@pytest.mark.parametrize(
    ("operation", "query", "values"),
    [
        ("list_sources", b"limit=1&offset=9007199254740991", {"limit": 1, "offset": 2**53 - 1}),
        ("list_sources", b"q=50%25_off&selected=1", PAGE | {"q": "50%_off", "selected": "1"}),
        (
            "list_entries",
            b"sources=a.b,c-d.e_f%2Cc.d&limit=50&sources=e.f",
            PAGE | {"sources": ["a.b", "c-d.e_f", "c.d", "e.f"]},
        ),
        ("get_diffs", b"source=a.b%2Dc", {"source": "a.b-c"}),
        ("request_source", b"", {}),
    ],
)
def test_a_query_gives_values_with_types_and_defaults(operation, query, values):
    assert checked_parameters(operation, query) == SimpleNamespace(value=values, violations=())


@pytest.mark.parametrize(
    ("operation", "query", "sentence"),
    [
        ("list_sources", b"limit=0", "limit must be at least 1."),
        ("list_sources", b"limit=" + b"9" * 5000, "limit must be at most 100."),
        ("list_sources", b"limit=", "limit must not be empty."),
        *[("list_sources", b"limit=" + n, NO_NUMBER) for n in (b"%D9%A3", b"1_0", b"05", b"5.0")],
        ("list_sources", b"limit=1&limit=2", "limit must not be sent more than once."),
        (
            "list_sources",
            b"adapterType=RSS",
            "adapterType must be rss, atom, html or github_releases.",
        ),
        ("list_sources", b"selected=true", "selected must be 1."),
        ("list_sources", b"q=" + b"a" * 201, "q must have at most 200 characters."),
        ("list_sources", b"future=1", "future is not a parameter of this operation."),
        ("list_entries", b"", "sources is missing."),
        ("list_entries", b"sources=a.b,,c.d", NO_ITEM),
        ("list_entries", b"sources=a.b&sources=", NO_ITEM),
        ("list_entries", b"sources=a.b,C.d", f"item 2 of sources {NO_SLUG}"),
        ("list_entries", b"sources=a.b%0A", f"item 1 of sources {NO_SLUG}"),
        (
            "list_entries",
            b"sources=" + b",".join([b"a.b"] * 101),
            "sources must have at most 100 items.",
        ),
        ("list_deadlines", b"to=never", "to must be a date such as 2026-11-01."),
        ("list_entries", ENTRIES + b"2026-11-01T00:00:00", NO_INSTANT),
        ("list_entries", ENTRIES + b"2026-02-30T00:00:00Z", NO_INSTANT),
        ("list_entries", ENTRIES + b"2026-11-01T00:00:61Z", NO_INSTANT),
        ("get_diffs", b"source=acme", f"source {NO_SLUG}"),
    ],
)
def test_a_query_that_breaks_the_contract_is_refused(operation, query, sentence):
    (violation,) = checked_parameters(operation, query).violations

    assert violation.sentence == sentence


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (b"sources=a.b&sinse=x", "Did you mean since?"),
        (ENTRIES + b"2026-11-01T00:00:00+02:00", "%2B"),
        (ENTRIES + b"2026-11-01T00:00:00%200200", "%2B"),
    ],
)
def test_what_was_meant_is_told(query, hint):
    (violation,) = checked_parameters("list_entries", query).violations

    assert hint in violation.hint


def test_no_more_faults_are_told_or_compared_with_known_names_than_anyone_reads(monkeypatch):
    compared = []
    monkeypatch.setattr(
        "openapi.violations.get_close_matches", lambda name, *_, **__: compared.append(name) or []
    )
    unknown = dict.fromkeys([f"unknown{number}" for number in range(100)], 1)

    of_query = checked_parameters("list_entries", urlencode(unknown).encode())
    checked_body("request_source", body(URL | unknown), "application/json")

    assert (len(of_query.violations), len(compared)) == (5, 10)


@given(st.sampled_from([operation.operation_id for operation in load_operations()]), st.binary())
def test_no_query_raises(operation, raw):
    checked = checked_parameters(operation, raw)

    assert (checked.value is None) == bool(checked.violations)


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("2026-11-01t10:20z", "2026-11-01T10:20:00Z"),
        ("2026-11-01T10:20%2B05:30", "2026-11-01T10:20:00+05:30"),
        ("2026-11-01T10:20:30-0800", "2026-11-01T10:20:30-08:00"),
        ("2026-11-01T10:20:60.25Z", "2026-11-01T10:20:59.999999Z"),
    ],
)
def test_a_time_is_read_as_clients_print_it(sent, read):
    assert checked_parameters("list_entries", ENTRIES + sent.encode()).value["since"] == read


SLUGS = st.from_regex(r"[a-z0-9][a-z0-9-]{0,20}\.[a-z0-9][a-z0-9._-]{0,20}", fullmatch=True)


@given(
    st.lists(st.lists(SLUGS, min_size=1, max_size=4), min_size=1, max_size=5),
    st.fixed_dictionaries(
        {},
        optional={
            "limit": st.integers(1, 100),
            "offset": st.integers(0, 2**53 - 1),
            "since": st.datetimes().map(lambda moment: moment.isoformat() + "Z"),
        },
    ),
)
def test_what_a_client_library_sends_comes_back_as_it_was(groups, values):
    lists = [("sources", ",".join(group)) for group in groups]
    query = urlencode([*lists, *values.items()])

    assert checked_parameters("list_entries", query.encode()).value == PAGE | values | {
        "sources": [slug for group in groups for slug in group]
    }


def body(value):
    return json.dumps(value).encode()


URL = {"url": "https://acme.example/changelog"}
MANY = body({"components": [{}] * 19_000})


@pytest.mark.parametrize(
    "value",
    [
        URL | {"name": "", "vendor": "acme", "note": "Thanks!\n", "email": "ada@acme.example"},
        URL | {"note": "\N{GRINNING FACE}" * 2000},
        {"url": "http://127.0.0.1:8080/feed?x=%20#top"},
        {"url": "https://acme.example:65535?to=ada@acme.example"},
    ],
)
def test_a_body_that_follows_the_contract_is_its_value(value):
    assert checked_body("request_source", body(value), "application/json").value == value


NO_ADDRESS = "url must be a complete address such as https://acme.example/changelog."
OTHER_ADDRESS = "url must look like https://acme.example/changelog."


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (b"", "The body is missing."),
        (b'{"url": NaN}', "The body cannot be read as JSON at line 1, column 9."),
        (b'{"url": "http://a/\xff"}', "The body must be UTF-8."),
        (b"[]", "The body must be an object."),
        (b"{}", "url is missing."),
        (body({"url": 5}), "url must be text."),
        (body({"url": "https://acme.example/a b"}), NO_ADDRESS),
        (body({"url": "ftp://acme.example/"}), OTHER_ADDRESS),
        (body({"url": "https://acme.example:65536/"}), OTHER_ADDRESS),
        (body({"url": "https://ada:secret@acme.example/"}), OTHER_ADDRESS),
        (body(URL | {"nmae": "x"}), "nmae is not a field of the body."),
        (body(URL | {"note": None}), "note must be text."),
        (body(URL | {"note": "a" * 2001}), "note must have at most 2000 characters."),
        (body(URL | {"note": "a\x00"}), "note must not contain a NUL character."),
        (body(URL | {"email": "ada"}), "email must be an email address such as ada@acme.example."),
        (b'{"url": "http://a", "url": "http://b"}', "The body gives url more than once."),
        (b'{"url": ' + b"[" * 99 + b"]" * 99 + b"}", "The body nests deeper than 32 levels."),
        (b"[" * 60_000, "The body cannot be read as JSON at line 1, column 1026."),
        (b'{"url": ' + b"9" * 6000 + b"}", "The body cannot be read as JSON at line 1, column 9."),
    ],
)
def test_a_body_that_breaks_the_contract_is_refused(sent, sentence):
    (violation,) = checked_body("request_source", sent, "application/json").violations

    assert violation.sentence == sentence


@pytest.mark.parametrize(
    ("operation", "sent", "charset", "sentence"),
    [
        ("check_stack", MANY, "utf-8", "item 1 of components must be text."),
        ("request_source", body(URL), "utf-16", "The body must be UTF-8."),
    ],
)
def test_of_many_items_one_fault_is_told_and_another_charset_is_refused(
    operation, sent, charset, sentence
):
    (violation,) = checked_body(operation, sent, f"application/json; charset={charset}").violations

    assert violation.sentence == sentence


@given(st.binary())
def test_no_body_raises(raw):
    assert checked_body("request_source", raw, "application/json").violations
