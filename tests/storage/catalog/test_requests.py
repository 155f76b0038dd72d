"""Wishes for new sources as POST /sources/request stores them."""

import pytest

from openapi.vocabulary import RequestStatus
from storage.catalog.requests import add_request, find_request, move_request

URL = "https://acme.example/changelog"


@pytest.fixture
def request_source(database, now):
    """Ask for an address; returns the id of the request."""

    def request_source(url, note=None):
        with database.write() as session:
            return add_request(session, url=url, note=note, now=now).id

    return request_source


@pytest.mark.parametrize(
    "again",
    [
        URL,
        "HTTPS://ACME.example:443/changelog/",
        f"{URL}#2026",
        "https://acme.example/news/../changelog",
    ],
)
def test_the_same_page_is_requested_once_while_it_is_pending(request_source, again):
    assert request_source(again, "A note.") == request_source(URL)


@pytest.mark.parametrize(
    ("first", "second", "stored"),
    [(None, "It has a feed.", "It has a feed."), ("A.", "B.", "A."), ("A.", None, "A.")],
)
def test_a_pending_request_takes_the_first_note_that_comes(
    request_source, database, first, second, stored
):
    request_source(URL, first)
    id_ = request_source(URL, second)

    with database.read() as session:
        assert find_request(session, id_).note == stored


@pytest.mark.parametrize(
    "other",
    [
        "http://acme.example/changelog",
        f"{URL}?page=2",
        f"{URL}..",
        "https://acme.example:8443/changelog",
    ],
)
def test_another_page_is_another_request(request_source, other):
    assert request_source(other) != request_source(URL)


def test_a_decided_address_can_be_requested_again(request_source, database, now):
    first = request_source(URL)
    with database.write() as session:
        request = add_request(session, url=URL, note=None, now=now)
        move_request(session, request, RequestStatus.REJECTED, now=now)

    assert request_source(URL) != first
