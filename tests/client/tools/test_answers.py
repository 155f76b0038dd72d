"""What the tools answer, asked by the protocol's own client (docs/mcp.md)."""

import json

import pytest

BYTES = 20_000 * 4


def data_of(text):
    """Return the items between the marks of a text."""
    facts, begin, *data, end = text.split("\n")
    word = begin.removeprefix("<<<data ")
    assert end == f"data {word}>>>"
    assert len(word) == 16
    return json.loads(facts), [json.loads(line) for line in data]


def test_tools_only_read_unless_a_flag_says_otherwise(agent, asking):
    reading = [tool.name for tool in agent.ask("list_tools").tools]
    more = [tool.name for tool in asking.ask("list_tools").tools]

    assert {"search_sources", "get_entries", "plan_upgrade"} < set(reading)
    assert more == [*reading, "request_source"]


def test_changes_are_read_to_the_end_each_once_though_answers_are_bounded(agent):
    arguments = {"sources": ["acme.compute", "acme.storage", "globex.compute"], "limit": 100}
    seen, place = [], {}
    while True:
        page = agent.call("get_changes", **arguments, **place).structured_content
        seen += [item["entry"]["id"] for item in page["items"]]
        if not page["more"]:
            break
        place = {"after": page["next"]}

    assert len(seen) == len(set(seen)) == 360


@pytest.mark.parametrize(
    ("name", "arguments", "first"),
    [
        ("search_sources", {"q": "acme"}, {"slug": "acme.compute"}),
        ("get_entries", {"sources": ["acme.storage"], "since": "7d"}, {"source": "acme.storage"}),
        ("search_entries", {"q": '"removed version" acme'}, {"title": "removed version 0"}),
        ("get_changes", {"limit": 1, "sources": ["acme.storage"]}, {"change": "new"}),
        ("get_diffs", {"source": "acme.compute"}, {"id": "diff_2"}),
    ],
)
def test_text_and_structure_say_the_same(agent, name, arguments, first):
    found = agent.call(name, **arguments)

    facts, items = data_of(found.content[0].text)
    assert not found.is_error, found.content
    assert found.structured_content == {**facts, "items": items}
    assert items[0].items() >= first.items()


def test_an_answer_is_bounded_and_says_where_to_go_on(agent):
    arguments = {"sources": ["acme.compute", "acme.storage", "globex.compute"], "limit": 100}
    seen, offset, sizes = [], 0, []
    while offset is not None:
        found = agent.call("get_entries", **arguments, offset=offset)
        page = found.structured_content
        sizes.append(len(found.content[0].text.encode()) + len(json.dumps(page).encode()))
        seen += [item["id"] for item in page["items"]]
        assert page["truncated"] or len(page["items"]) == min(100, 360 - offset)
        offset = page["next_offset"]

    assert len(seen) == len(set(seen)) == 360
    assert max(sizes) <= BYTES
    assert max(sizes) > BYTES / 3


def test_what_nobody_sees_in_vendors_words_is_written_out(agent, hostile):
    found = agent.call("get_entries", sources=["acme.compute"], limit=1)

    _, (item,) = data_of(found.content[0].text)
    assert item["title"] == hostile
    assert not set(found.content[0].text) & (set(hostile) & set("\x1b\x07\x9b\u202e\u200b"))


def test_no_answer_holds_a_feed_address(agent, slugs):
    told = [agent.call("search_sources", limit=100), agent.call("get_latest", limit=100)]
    told += [agent.call("get_source", slug=slug) for slug in slugs]
    told += [agent.call("get_entries", sources=slugs[:2]), agent.call("get_important")]

    assert not any("feeds." in result.content[0].text for result in told)
    assert not any("feeds." in json.dumps(result.structured_content) for result in told)


def test_a_long_entry_that_is_read_alone_is_cut_late(agent):
    found = agent.call("get_entry", source="acme.compute", id="acme.compute/000?a=b c")

    (item,) = found.structured_content["items"]
    assert found.structured_content["truncated"]
    assert len(item["summary"]) == 30_000


@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("get_latest", {"limit": 101}, "limit: 101"),
        ("get_latest", {"category": ["breking"]}, "Did you mean breaking?"),
        ("get_entries", {"sources": "acme.compute"}, 'Did you mean ["acme.compute"]?'),
        ("plan_upgrade", {"purl": "npm/left-pad"}, "Did you mean pkg:npm/left-pad?"),
        ("get_entries", {"sources": ["acme.compute"], "since": "soon"}, "'soon' is no time"),
    ],
)
def test_wrong_arguments_are_named_and_nothing_is_guessed(agent, name, arguments, told):
    found = agent.call(name, **arguments)

    assert found.is_error
    assert told in found.content[0].text
    assert found.structured_content["error"]["code"] == "invalid_request"


def test_a_source_is_requested_when_the_flag_allows_it(asking):
    found = asking.call("request_source", url="https://wonka.example/changelog", note="please")

    assert found.structured_content["items"][0]["status"] == "pending"
