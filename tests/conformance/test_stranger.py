"""The suite on somebody else's implementation, which is sound and chooses otherwise."""

import pytest
from runs import conformance_of, listening
from stranger import DEAD_KEY, Stranger

ONLY = ("--only-specification", "--dead-key", DEAD_KEY)
BOTH = ["--api-key", "strg_full", "--api-key", "strg_small"]


def findings(report):
    return {finding["check"].partition("[")[0] for finding in report["findings"]}


@pytest.mark.slow
def test_nothing_is_found_at_a_sound_stranger_that_the_specification_does_not_say(started_at):
    with listening(Stranger(started_at)) as url:
        report = conformance_of(url, *BOTH, *ONLY, "--max-examples", "3", "--allow-writes")

    assert [(one["check"], one["words"]) for one in report["findings"]] == []
    assert report["unseen"] == []
    passed = [one["check"] for one in report["results"] if one["outcome"] == "passed"]
    generated = {name.rpartition("[")[2] for name in passed if name.startswith("an_operation")}
    assert generated == {
        "GET /sources]", "GET /entries]", "GET /diffs]", "GET /latest]", "GET /important]",
        "GET /changes]", "POST /sources/request]",
    }  # fmt: skip


@pytest.mark.slow
def test_what_this_project_decided_is_another_matter(started_at):
    with listening(Stranger(started_at)) as url:
        options = [*BOTH, "--max-examples", "0", "--", "-k", "order or newest or both or limit"]
        report = conformance_of(url, *options)

    assert findings(report) >= {
        "a_401_names_both_headers",
        "entries_come_newest_first",
        "sources_come_in_the_order_of_slugs",
    }
    assert all(finding["origin"].startswith("docs/") for finding in report["findings"])


def test_a_fault_of_a_stranger_is_found_by_the_specification_alone(started_at):
    stranger = Stranger(started_at)
    for source in stranger._sources[100:101]:
        source["tags"] = "tools"
    with listening(stranger) as url:
        report = conformance_of(url, *BOTH, *ONLY, "--max-examples", "0", "--", "-k", "fields")

    assert "sources_have_their_fields" in findings(report)
