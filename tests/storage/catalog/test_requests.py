"""Wishes for new sources as POST /sources/request stores them."""

import pytest

from openapi.vocabulary import RequestStatus
from storage.catalog.requests import add_request, find_request, move_request

URL = "https://acme.example/changelog"


@pytest.fixture
def asked(database, now):
    """Ask for an address; returns the id of the request."""

    def asked(url, note=None):
        with database.write() as session:
            return add_request(session, url=url, note=note, now=now).id

    return asked


@pytest.mark.parametrize(
    "again",
    [
        URL,
        "HTTPS://ACME.example:443/changelog/",
        f"{URL}#2026",
        "https://acme.example/news/../changelog",
        "https://acme.example/../././changelog/.",
        "https://acme.example/changelog/2026/..",
    ],
)
def test_the_same_page_is_requested_once_while_it_is_pending(asked, again):
    assert asked(again, "A note.") == asked(URL)


@pytest.mark.parametrize(
    ("first", "second", "kept"),
    [(None, "It has a feed.", "It has a feed."), ("A.", "B.", "A."), ("A.", None, "A.")],
)
def test_a_pending_request_takes_the_first_note_that_comes(asked, database, first, second, kept):
    asked(URL, first)
    id_ = asked(URL, second)

    with database.read() as session:
        assert find_request(session, id_).note == kept


@pytest.mark.parametrize(
    "other",
    [
        "http://acme.example/changelog",
        f"{URL}?page=2",
        f"{URL}s",
        "https://acme.example:8443/",
        f"{URL}/..",
        f"{URL}..",
        "https://acme.example//changelog",
    ],
)
def test_another_page_is_another_request(asked, other):
    assert asked(other) != asked(URL)


def test_a_decided_address_can_be_requested_again(asked, database, now):
    first = asked(URL)
    with database.write() as session:
        request = add_request(session, url=URL, note=None, now=now)
        move_request(session, request, RequestStatus.REJECTED, now=now)

    assert asked(URL) != first
