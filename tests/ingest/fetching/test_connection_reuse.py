"""Connections that are kept for the next exchange with the same origin."""

from outbound.transport import MOST_IDLE


def ports(site) -> list[int]:
    return [seen.client[1] for seen in site.seen]


def test_the_next_request_to_an_origin_goes_over_the_same_connection(site, ask):
    site.reply("/feed", body=b"<rss/>")

    ask(site.url(host="acme.example"))
    ask(site.url(host="acme.example"))

    assert len(set(ports(site))) == 1


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
