"""The client against the running service (docs/client.md)."""

from datetime import datetime

import pytest

from client import (
    AddonRequired,
    Client,
    FolderCache,
    InvalidCall,
    KeyMissing,
    SourceNotSelected,
    Unauthorized,
    UnknownSource,
)

KEYS = ("", "cw_key\r\nX: y", "cw_ключ")
ADDRESSES = ("changewire.example", "ftp://acme.example", "https://u:p@acme.example")
TIMES = (datetime(2026, 1, 1), "2026-01-01T00:00:00Z")  # noqa: DTZ001 - the point


@pytest.fixture(scope="module")
def client_of(served):
    """Make clients by the name of their key, without one for None."""
    made = []

    def client_of(name):
        made.append(Client(served.url, None if name is None else served.keys.get(name, name)))
        return made[-1]

    yield client_of
    for client in made:
        client.close()


def test_without_a_key_there_is_a_sample(client_of):
    sample = client_of(None).sample()

    assert sample["sample"] is True
    assert len(sample["items"]) <= 5 < sample["total"]


def test_an_unknown_source_is_named(client_of):
    with pytest.raises(UnknownSource, match="no source acme"):
        client_of("free").source("acme")


def test_entries_are_walked_over_pages_each_once(client_of, slugs):
    found = list(client_of("all").entries(slugs[:2]))

    assert len({(entry["source"], entry["id"]) for entry in found}) == len(found) == 240
    assert [e["published_at"] for e in found] == sorted(
        (e["published_at"] for e in found), reverse=True
    )


def test_a_limit_bounds_all_pages_together(client_of, slugs):
    pages = list(client_of("all").entries(slugs[:2], limit=130, offset=5).pages())

    assert [len(page["items"]) for page in pages] == [100, 30]
    assert [page["offset"] for page in pages] == [5, 105]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        *((lambda _, key=key: Client("http://a", key), "API key") for key in KEYS),
        *((lambda _, url=url: Client(url), "is not an address") for url in ADDRESSES),
        *((lambda it, t=time: it.entries("a", since=t), "since .* time zone") for time in TIMES),
        (lambda it: it.entries(5), "sources must be slugs"),
        (lambda it: it.latest(offset="2"), "offset must be at least 0"),
        (lambda it: it.sources("acme"), r"Client.sources\(\) takes 1 positional"),
        (lambda it: it.deadlines(since_="a"), r"Client.deadlines\(\) got an .* argument 'since_'"),
        (lambda it: it.follow(order=None), r"Client.follow\(\) got an .* argument 'order'"),
        (lambda it: it.check_stack(files=1), r"Client.check_stack\(\) got an .* argument 'files'"),
        (lambda _: Client("http://a", timeout=30), "timeout must be a timedelta"),
    ],
)
def test_a_wrong_argument_is_named_before_a_request(client_of, call, message):
    with pytest.raises((InvalidCall, TypeError), match=message):
        call(client_of("all"))


def test_one_cursor_serves_more_sources_than_a_request_may_name(client_of, slugs):
    client = client_of("all")
    many = [*slugs[:2], *(f"acme.s{number}" for number in range(5_000))]

    found = [
        (entry["source"], entry["id"]) for news in client.follow(many) for entry in news.entries
    ]

    assert len(found) == len(set(found)) == 240
    assert {source for source, _ in found} == set(slugs[:2])


def test_what_needs_a_key_says_so_without_asking(client_of):
    with pytest.raises(KeyMissing, match="/app/api-keys"):
        client_of(None).entries("acme.compute")


@pytest.mark.parametrize(
    ("key", "call", "error", "status", "code"),
    [
        ("wrong", lambda it: it.latest().first(), Unauthorized, 401, "unauthorized"),
        (
            "free",
            lambda it: it.entries("initech.storage").first(),
            *(SourceNotSelected, 403, "source_not_selected"),
        ),
        ("all", lambda it: it.diffs("acme.compute"), AddonRequired, 402, "addon_required"),
    ],
)
def test_a_no_is_an_exception_with_all_that_was_said(client_of, key, call, error, status, code):
    with pytest.raises(error) as told:
        call(client_of(key))

    assert (told.value.status, told.value.code) == (status, code)
    assert told.value.hint
    assert told.value.hint in str(told.value)
    assert told.value.request_id


def test_a_key_never_sees_what_another_was_answered(served, tmp_path):
    cache = FolderCache(tmp_path / "cache")
    answers = {}
    for name in ("free", "all"):
        with Client(served.url, served.keys[name], cache=cache) as client:
            answers[name] = client.sources(selected=True).first()["total"]

    assert answers == {"free": 3, "all": 8}
    written = b"".join(file.read_bytes() for file in (tmp_path / "cache").iterdir())
    assert not any(key.encode() in written for key in served.keys.values())


def test_the_key_does_not_show(served):
    with Client(served.url, served.keys["all"]) as client:
        assert repr(client) == f"Client('{served.url}/api/v1', with a key)"
