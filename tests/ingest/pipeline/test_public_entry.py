"""What everybody may read of an entry: its passages are in the text that is served."""

from datetime import UTC, datetime

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.pipeline.public_entry import classify_entry
from storage.entries.documents import PUBLIC_SUMMARY_LENGTH, EntryText

FILLER = "Dashboards load faster, and charts are drawn while their data arrives. "
REMOVAL = "- The v1 API will be removed on March 1, 2027."
STATEMENTS = [
    REMOVAL,
    "- Breaking change: `connect()` no longer accepts a port.",
    "- Fixed CVE-2026-12345, a remote code execution in the parser.",
    "- `oldName` is deprecated, use `newName` instead.",
    FILLER,
    FILLER * 8,
    "## Breaking changes",
]


def entry(title, summary):
    return EntryText(
        "1", "acme.api", "acme", datetime(2026, 11, 1, tzinfo=UTC), title, None, summary, {}, []
    )


def classified(title, summary):
    return classify_entry(entry(title, summary), source_name="Acme API")


def passages(importance):
    fields = orjson.loads(importance)
    return [*fields["evidence"], *(each["evidence"] for each in fields.get("deadlines", []))]


def test_a_long_text_is_cut_around_what_makes_it_important():
    result = classified("v2.0", FILLER * 20 + "\n" + REMOVAL + "\n" + FILLER * 20)
    assert "The v1 API will be removed on March 1, 2027." in result.public.summary
    assert len(result.public.summary) <= PUBLIC_SUMMARY_LENGTH
    assert result.public.headline == "Acme API 2.0: The v1 API will be removed on March 1, 2027"


def test_a_title_that_tells_it_is_the_headline_though_the_text_is_quoted():
    result = classified("API v1 is deprecated", "We deprecated the v1 API in May.")
    assert result.public.headline == "Acme API: API v1 is deprecated"
    assert passages(result.importance)[0]["field"] == "summary"


def test_a_long_text_of_no_importance_is_cut_at_its_end():
    result = classified("v2.0", FILLER * 20)
    assert result.importance is None
    assert (FILLER * 20).startswith(result.public.summary.removesuffix("…"))


@pytest.mark.parametrize("title", ["v2.0", "API v1 is deprecated"])
@given(parts=st.lists(st.sampled_from(STATEMENTS), max_size=12))
@settings(max_examples=60)
def test_every_passage_is_word_for_word_in_what_is_served(title, parts):
    result = classified(title, "\n".join(parts) or None)
    if result.importance is None:
        return
    served = {"title": title, "summary": result.public.summary}
    for passage in passages(result.importance):
        assert served[passage["field"]][passage["start"] : passage["end"]] == passage["text"]
    fields = orjson.loads(result.importance)
    assert {passage["category"] for passage in fields["evidence"]} == set(fields["categories"])
