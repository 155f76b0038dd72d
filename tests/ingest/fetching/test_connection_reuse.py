"""Connections that are kept for the next exchange with the same origin."""

import time

import pytest

from ingest.fetching.client import ClientClosed
from ingest.fetching.outcomes import Fetched
from outbound.transport import MOST_IDLE


def ports(site) -> list[int]:
    return [seen.client[1] for seen in site.seen]


def test_the_next_request_to_an_origin_goes_over_the_same_connection(site, ask):
    site.reply("/feed", body=b"<rss/>")

    ask(site.url(host="acme.example"))
    ask(site.url(host="acme.example"))

    assert len(set(ports(site))) == 1


def test_an_answer_without_content_leaves_its_connection_open(site, ask):
    site.reply("/feed", 200, body=b"<rss/>", etag='"1"')
    known = ask(site.url(host="acme.example")).validators
    site.reply("/feed", 304, etag='"1"')

    ask(site.url(host="acme.example"), validators=known)
    ask(site.url(host="acme.example"), validators=known)

    assert len(set(ports(site))) == 1


def test_another_name_has_another_connection_although_it_leads_to_the_same_address(site, ask):
    site.reply("/feed", body=b"<rss/>")

    ask(site.url(host="acme.example"))
    ask(site.url(host="globex.example"))

    assert len(set(ports(site))) == 2


def test_a_connection_that_the_server_has_closed_is_not_used_again(site, ask):
    site.reply("/feed", body=b"<rss/>", connection="close")
    ask(site.url(host="acme.example"))
    time.sleep(0.05)

    assert isinstance(ask(site.url(host="acme.example")), Fetched)
    assert len(set(ports(site))) == 2


def test_a_connection_whose_answer_was_not_read_to_its_end_is_not_used_again(
    site, make_client, ask
):
    site.reply("/feed", body=b"x" * 5_000_000)
    client = make_client(limits={"max_bytes": 1000})

    ask(site.url(host="acme.example"), client=client)
    site.reply("/feed", body=b"<rss/>")

    assert ask(site.url(host="acme.example"), client=client).body == b"<rss/>"
    assert len(set(ports(site))) == 2


def test_the_oldest_idle_connections_make_room(site, ask):
    site.reply("/feed", body=b"<rss/>")
    names = [f"host{number}.example" for number in range(MOST_IDLE + 1)]

    for name in (*names, names[-1], names[0]):
        ask(site.url(host=name))

    first, *_, last, last_again, first_again = ports(site)
    assert last_again == last
    assert first_again != first


def test_a_closed_client_opens_no_connection(site, make_client, ask):
    client = make_client()
    client.close()

    with pytest.raises(ClientClosed):
        ask(site.url(), client=client)
    assert site.seen == []
