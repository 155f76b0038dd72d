"""What the tool interface decides: bounds, fences, advice, membership (service/tools)."""

import json
import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

import client
from client import ChangewireError
from openapi.contract import load_contract
from service.tools.calls import CALLS
from service.tools.results import MOST_BYTES, bounded, compact, fenced, size_of
from service.tools.tool_list import INSTRUCTIONS, NEXT, REQUESTING, TOOLS

SITE = "https://changewire.example"
MOST_TOKENS = 2_500


def test_one_entry_larger_than_everything_still_fits():
    huge = {"id": '"' * 10**5, "raw": {str(n): '"' * 5_000 for n in range(2_000)}}

    found, truncated = bounded([huge, huge])

    assert (len(found), truncated) == (1, True)
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

    for name in ("search_sources", "get_entries", "get_latest", "get_important"):
        for bound in ("limit", "offset"):
            allowed = parameters[bound.capitalize()]["schema"]["maximum"]
            assert tools[name][bound]["maximum"] == allowed
    assert tools["get_source"]["slug"]["pattern"] == schemas["Slug"]["pattern"]
    most = parameters["Sources"]["schema"]["maxItems"]
    assert tools["get_entries"]["sources"]["maxItems"] == most


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
