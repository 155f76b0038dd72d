"""changewire sources, search and entries against the running service."""

import json
from datetime import datetime, timedelta

import pytest

from openapi.contract import load_contract
from openapi.validation import ContractValidator


def cells_of(out):
    """Return the rows of a printed table, each by its columns."""
    columns, *rows = (line.split("\t") for line in out.splitlines())
    return [dict(zip(columns, row, strict=True)) for row in rows]


def test_entries_are_searched_without_a_key(run, served):
    status, out, _ = run("search", "--url", served.url, "removed", '"version 0"')

    assert status == 0
    assert {row["title"] for row in cells_of(out)} == {"removed version 0"}


def test_important_entries_have_their_category_and_their_deadline(run, served):
    status, out, _ = run("entries", "--important", "--url", served.url, "--limit", "1")

    (row,) = cells_of(out)
    assert status == 0
    assert row["category"] == "breaking"
    assert datetime.fromisoformat(row["deadline"]).date() > served.now.date()


@pytest.mark.parametrize(
    ("arguments", "operation"),
    [
        (["--latest"], "list_latest"),
        (["--important"], "list_important"),
        (["acme.compute"], "list_entries"),
        (["acme.compute", "--diffs"], "get_diffs"),
    ],
)
def test_json_has_the_shape_of_the_api(run, served, monkeypatch, arguments, operation):
    monkeypatch.setenv("CHANGEWIRE_API_KEY", served.keys["diffs"])

    status, out, _ = run("entries", *arguments, "--url", served.url, "--limit", "3", "--json")

    headers = {"content-type": "application/json"}
    faults = ContractValidator(load_contract()).response(operation, 200, headers, out.encode())
    assert status == 0
    assert [fault.sentence for fault in faults] == []
    assert len(json.loads(out)["items"]) == (1 if operation == "get_diffs" else 3)


def test_entries_without_sources_are_those_of_the_key(run, served, monkeypatch):
    monkeypatch.setenv("CHANGEWIRE_API_KEY", served.keys["free"])
    monkeypatch.setenv("CHANGEWIRE_API_URL", served.url)

    _, out, _ = run("entries", "--since", "10h", "--json")

    page = json.loads(out)
    assert {item["source"] for item in page["items"]} == {
        "acme.compute",
        "acme.storage",
        "globex.compute",
    }
    since = served.now - timedelta(hours=10)
    assert all(datetime.fromisoformat(e["published_at"]) > since for e in page["items"])


def test_the_diffs_of_a_source_are_listed(run, served):
    key = served.keys["diffs"]

    status, out, _ = run(
        "entries", "acme.compute", "--diffs", "--url", served.url, "--api-key", key
    )

    changed = next(row for row in cells_of(out) if row["change"] == "changed")
    assert status == 0
    assert changed["title"] == "Version 2 goes"
    assert "title: Version 2 stays → Version 2 goes" in changed["fields"]


def test_a_key_is_read_from_a_file(run, served, tmp_path):
    file = tmp_path / "key"
    file.write_text(f"{served.keys['free']}\n")

    status, out, _ = run("entries", "--url", served.url, "--api-key-file", str(file), "--json")

    assert (status, json.loads(out)["plan"]) == (0, "free")


def test_vendors_cannot_write_escapes_or_columns(run, served):
    key = served.keys["all"]

    _, out, _ = run("entries", "acme.compute", "--url", served.url, "--api-key", key)

    first = cells_of(out)[0]
    assert "[31mred ]0;owned" in first["title"]
    assert not set(out) & {"\x07", "\x1b", "\x9b", "\u202e", "\u200b"}


@pytest.mark.parametrize(
    ("arguments", "key", "advice"),
    [
        (["acme.compute"], None, "set CHANGEWIRE_API_KEY."),
        (["--latest"], "cw_no", "/app/api-keys"),
        (["acme.compute", "--diffs"], "all", "Diff API add-on"),
        (["--latest", "--url", "http://127.0.0.1:1"], None, "cannot be reached"),
        (["acme.computer"], "all", "acme.compute? changewire sources WORDS finds slugs."),
    ],
)
def test_a_failure_is_one_line_that_says_what_to_do(run, served, arguments, key, advice):
    sent = ["--api-key", served.keys.get(key, key)] if key else []

    status, out, err = run("entries", "--url", served.url, *arguments, *sent)

    assert (status, out) == (1, "")
    assert err.startswith("changewire: ")
    assert err.count("\n") == 1
    assert advice in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--latest", "--since", "yesterday"],
        ["--latest", "--important"],
        ["--diffs", "a.b", "--q", "words"],
    ],
)
def test_wrong_usage_is_named_as_such(run, arguments):
    status, out, err = run("entries", *arguments)

    assert (status, out) == (2, "")
    assert "Usage:" in err


def test_sources_are_found_by_what_they_are_called(run, served):
    arguments = ("--url", served.url, "--api-key", served.keys["diffs"])
    status, out, err = run("sources", "storage", "globex", *arguments)

    assert (status, err) == (0, "")
    assert [row["slug"] for row in cells_of(out)] == ["globex.storage"]
