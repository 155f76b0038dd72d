"""Requests that fail, wait and come again, against servers that answer by a script."""

from datetime import timedelta

import pytest

from client import (
    Client,
    InvalidRequest,
    RateLimited,
    RetryPolicy,
    Unavailable,
    UnexpectedAnswer,
    Unreachable,
)
from client.transport import base_url_of

PAGE = {"total": 0, "limit": 100, "offset": 0, "items": []}
LATER = {"error": "Later.", "code": "unavailable", "message": "Later.", "hint": "Come back."}


@pytest.fixture
def waits():
    """The seconds that were waited, one after the other."""
    return []


@pytest.fixture
def client_of(waits):
    """Make a client of a scripted server; waiting is only written down."""
    made = []

    def client_of(server, **settings):
        given = {"sleep": waits.append, "jitter": lambda: 0.0, **settings}
        made.append(Client(server if isinstance(server, str) else server.url, **given))
        return made[-1]

    yield client_of
    for each in made:
        each.close()


def test_a_pause_that_the_service_asks_for_is_kept(scripted, client_of, waits):
    server = scripted((503, LATER, {"Retry-After": "7"}), (200, PAGE))

    assert client_of(server).latest().first() == PAGE
    assert waits == [7.0]


def test_after_the_last_attempt_the_answer_is_raised(scripted, client_of, waits):
    server = scripted((503, LATER))

    with pytest.raises(Unavailable, match=r"Later\. Come back\."):
        client_of(server, retry=RetryPolicy(attempts=3)).latest().first()

    assert (len(server.requests), len(waits)) == (3, 2)


def test_a_longer_pause_than_the_caller_allows_is_raised_at_once(scripted, client_of, waits):
    no = {**LATER, "code": "rate_limited"}
    server = scripted((429, no, {"Retry-After": "3600"}))

    with pytest.raises(RateLimited) as told:
        client_of(server).request_source("https://acme.example/")

    assert told.value.retry_after == timedelta(hours=1)
    assert waits == []


def test_what_would_fail_again_is_not_repeated(scripted, client_of, waits):
    server = scripted((400, {**LATER, "code": "invalid_request"}))

    with pytest.raises(InvalidRequest):
        client_of(server).latest().first()

    assert (len(server.requests), waits) == (1, [])


def test_a_lost_connection_is_tried_again(scripted, client_of, waits):
    server = scripted((None,), (200, PAGE))

    assert client_of(server).latest().first() == PAGE
    assert waits == [0.5]


def test_a_request_for_a_source_is_not_sent_twice_when_the_connection_is_lost(
    scripted, client_of, waits
):
    server = scripted((None,))

    with pytest.raises(Unreachable):
        client_of(server).request_source("https://acme.example/")

    assert waits == []


def test_another_ones_page_is_unexpected(scripted, client_of):
    server = scripted((200, b"<html>Sign in to the hotel's network</html>"))

    with pytest.raises(UnexpectedAnswer, match="answered 200, which is not"):
        client_of(server).latest().first()


def test_a_redirect_is_named_and_the_key_not_carried_there(scripted, client_of):
    elsewhere = scripted((200, PAGE))
    server = scripted((302, b"", {"Location": f"{elsewhere.url}/api/v1/latest"}))

    with pytest.raises(UnexpectedAnswer, match="points to"):
        client_of(server, api_key="cw_key").latest().first()

    assert elsewhere.requests == []


def test_an_unchanged_answer_comes_from_the_cache(scripted, client_of):
    server = scripted((200, PAGE, {"ETag": '"one"'}), (304, b"", {"ETag": '"one"'}))
    client = client_of(server)

    assert client.latest().first() == client.latest().first() == PAGE
    assert [request.headers.get("if-none-match") for request in server.requests] == [None, '"one"']


def test_what_must_not_be_kept_is_not(scripted, client_of):
    server = scripted((200, PAGE, {"ETag": '"one"', "Cache-Control": "no-store"}), (200, PAGE))
    client = client_of(server)

    client.latest().first()
    client.latest().first()

    assert "if-none-match" not in server.requests[1].headers


@pytest.mark.parametrize(
    "url", ["https://changewire.example", " https://changewire.example/api/v1/ "]
)
def test_the_address_may_be_the_sites_or_the_apis(url):
    assert base_url_of(url) == "https://changewire.example/api/v1"
