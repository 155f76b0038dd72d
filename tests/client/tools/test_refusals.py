"""What agents are told to do after a no (docs/mcp.md)."""

import pytest


@pytest.mark.parametrize(
    ("key", "name", "arguments", "code", "told"),
    [
        (None, "get_latest", {}, "key_missing", "set CHANGEWIRE_API_KEY"),
        ("free", "get_latest", {}, "smaller_plan", "on the Free plan"),
        ("all", "get_diffs", {"source": "acme.compute"}, "addon_required", "get_entries and"),
        (
            *("all without scope", "get_entries", {"sources": ["acme.compute"]}),
            *("insufficient_scope", "a key with this scope"),
        ),
        (
            *("all", "get_entries", {"sources": ["acme.computer"]}),
            *("source_not_selected", "Did you mean acme.compute"),
        ),
        ("all", "get_source", {"slug": "acme.computer"}, "unknown_source", "search_sources"),
        ("all", "get_important", {"vendor": "acmee"}, "unknown_vendor", "Did you mean acme?"),
        (
            *("all", "get_entry", {"source": "acme.compute", "id": "acme.compute/01"}),
            *("unknown_entry", "Did you mean acme.compute/"),
        ),
    ],
)
def test_every_no_says_what_to_do_next(agent_of, key, name, arguments, code, told):
    found = agent_of(key).call(name, **arguments)

    assert found.is_error
    assert found.structured_content["error"]["code"] == code
    assert told in found.content[0].text
    assert found.structured_content["error"]["next"] in found.content[0].text


def test_a_wait_that_the_api_asks_for_is_passed_on(agent_of, scripted):
    page = {"total": 1, "limit": 1, "offset": 0, "plan": "all", "items": [{"slug": "a.b"}]}
    no = {"error": "No.", "code": "rate_limited", "message": "Too many requests."}
    server = scripted((200, page), (200, page), (429, no, {"Retry-After": "77"}))

    found = agent_of("all", url=server.url).call("request_source", url="https://hooli.example/")

    assert found.structured_content["error"]["code"] == "rate_limited"
    assert found.structured_content["error"]["next"] == "Wait 77 seconds, then call again once."
