"""What the tool interface decides: bounds, fences, advice, membership (service/tools)."""

import json
import re
import unicodedata
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import client
from client import ChangewireError, SourceNotSelected, Unauthorized
from client.errors import ERRORS
from openapi.contract import load_contract
from service.tools.advice import code_of, next_step
from service.tools.calls import CALLS
from service.tools.results import MOST_BYTES, bounded, compact, fenced, size_of
from service.tools.tool_list import INSTRUCTIONS, NEXT, REQUESTING, TOOLS

SITE = "https://changewire.example"
MANUAL = Path(__file__).parents[2] / "docs" / "mcp.md"
MOST_TOKENS = 2_500


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=300),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=30,
)


ITEMS = st.lists(st.fixed_dictionaries({"id": st.text(max_size=9), "summary": JSON}), max_size=20)


@pytest.mark.slow
@given(ITEMS, st.integers(1_000, 5_000))
def test_items_are_kept_in_order_and_fit(items, most):
    found, truncated = bounded(items, most)

    assert size_of(found) <= most + 2 * len(found)
    assert len(found) >= min(1, len(items))
    assert truncated == (found != items)
    if not truncated:
        assert found == items


@pytest.mark.parametrize("character", ["a", "語", "\U0001f600", '"', "\n"])
def test_one_entry_larger_than_everything_still_fits(character):
    huge = {"id": character * 10**5, "raw": {str(n): character * 5_000 for n in range(2_000)}}

    found, truncated = bounded([huge, huge])

    assert len(found) == 1
    assert truncated
    assert size_of(found) <= MOST_BYTES


@given(st.lists(st.text()), st.lists(st.sampled_from(["one", "two", "three"]), min_size=1))
def test_data_cannot_close_its_own_fence(texts, words):
    known = iter([*words, "unheard-of"])

    text = fenced([*texts, *words], lambda: next(known))

    begin, *data, end = text.split("\n")
    word = begin.removeprefix("<<<data ")
    assert end == f"data {word}>>>"
    assert [json.loads(line) for line in data] == [*texts, *words]
    assert word not in "\n".join(data)


TEXTS = st.text(st.characters(codec="utf-8"), max_size=400) | st.sampled_from(
    [
        "    if x:\n\treturn\u00a0y\n\n\n\n",
        " twice",
        "\r\n- a\r\n",
        "\u202egnp.exe\U000e0041\x1b[2J",
    ]
)


JOINERS, HIDDEN = {"\u200c", "\u200d"}, {"Cc", "Cf", "Cs", "Zl", "Zp"}


@given(
    st.lists(
        st.fixed_dictionaries({"id": TEXTS, "summary": TEXTS, "spans": st.lists(TEXTS)}), min_size=1
    )
)
def test_answers_are_byte_faithful_to_the_texts_of_the_api(items):
    """As text and as structure; what nobody would see is escaped in the text."""
    fit, _ = bounded(items)

    _, *data, _ = fenced(fit, lambda: "0" * 16).split("\n")
    assert fit == items
    assert [json.loads(line) for line in data] == items
    assert not {unicodedata.category(char) for char in set("".join(data)) - JOINERS} & HIDDEN


@given(st.text())
def test_what_is_no_unicode_can_be_sent_too(text):
    (item,), _ = bounded([{"title": text, text: [text]}])

    assert compact(item).encode()


def test_the_list_of_tools_costs_little():
    """About four characters to a token; what a client gets, names of fields and all."""
    wire = [
        tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in TOOLS.values()
    ]

    assert len(compact(wire)) / 4 < MOST_TOKENS
    assert len(INSTRUCTIONS.split()) <= 150


def test_every_tool_reads_or_says_that_it_does_not():
    requesting = TOOLS[REQUESTING].annotations
    reading = [tool.annotations for name, tool in TOOLS.items() if name != REQUESTING]

    assert TOOLS.keys() == CALLS.keys()
    assert all(hints.read_only_hint for hints in reading)
    assert requesting.idempotent_hint
    assert not requesting.read_only_hint
    assert not any(hints.destructive_hint for hints in (*reading, requesting))


def test_arguments_keep_to_the_contract():
    components = load_contract()["components"]
    parameters, schemas = components["parameters"], components["schemas"]
    tools = {name: tool.input_schema["properties"] for name, tool in TOOLS.items()}

    slug = tools["get_source"]["slug"]
    limit, offset = parameters["Limit"]["schema"], parameters["Offset"]["schema"]
    assert (slug["pattern"], slug["maxLength"]) == (
        schemas["Slug"]["pattern"],
        schemas["Slug"]["maxLength"],
    )
    for name in ("search_sources", "get_entries", "get_latest", "get_important"):
        assert tools[name]["limit"]["maximum"] == limit["maximum"]
        assert tools[name]["offset"]["maximum"] == offset["maximum"]
    assert (
        tools["get_entries"]["sources"]["maxItems"] == parameters["Sources"]["schema"]["maxItems"]
    )
    assert (
        tools["get_diffs"]["limit"]["maximum"]
        == (schemas["DiffPage"]["properties"]["items"]["maxItems"])
    )
    asked = schemas["SourceRequest"]["properties"]
    assert tools["request_source"]["url"]["pattern"] == asked["url"]["pattern"]
    assert tools["request_source"]["note"]["maxLength"] == asked["note"]["maxLength"]


@pytest.mark.parametrize("code", ["unauthorized", "addon_required", "rate_limited", "unavailable"])
def test_a_no_of_the_api_has_its_next_step(code):
    error = ERRORS[code]("No.", code=code, status=400, retry_after=timedelta(seconds=42))

    advice = next_step(error, site=SITE)

    assert advice != "Tell the user."
    assert "{" not in advice
    assert code_of(error) == code


def test_every_exception_of_the_client_has_its_next_step():
    raised = {
        re.sub(r"(?<=[a-z])(?=[A-Z])", "_", each.__name__).lower()
        for each in vars(client).values()
        if isinstance(each, type)
        and issubclass(each, ChangewireError)
        and not each.__subclasses__()
    }
    of_paths = {"not_found", "method_not_allowed"}
    of_bodies = {"payload_too_large", "unsupported_media_type"}
    of_webhooks = {"address_refused", "webhook_disabled"}

    assert raised - of_paths - of_bodies - of_webhooks <= NEXT.keys()


def test_a_missing_key_and_a_wrong_source_lead_to_different_places():
    wrong = Unauthorized("No.", code="unauthorized", status=401)
    other = SourceNotSelected("No.", code="source_not_selected", status=403)

    assert f"{SITE}/app/api-keys" in next_step(wrong, site=SITE)
    assert "search_sources" in next_step(other, site=SITE)


@pytest.mark.parametrize("name", [*CALLS, "CHANGEWIRE_API_URL", "CHANGEWIRE_API_KEY"])
def test_the_manual_names_every_tool_and_setting(name):
    assert f"`{name}`" in MANUAL.read_text()
