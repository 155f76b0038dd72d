"""changewire sources, latest, important, entries and diff against the running service."""

import json
import os
import pty
import subprocess
import webbrowser
from datetime import datetime, timedelta

import pytest
from specimen.serving import CHANGEWIRE

from openapi.contract import load_contract
from openapi.validation import ContractValidator


def test_latest_is_read_without_a_key(run, served):
    status, out, err = run("latest", "--url", served.url, "--limit", "3")

    assert status == 0
    assert out.count("https://") == 3
    assert out.splitlines()[0].startswith("  1  ")
    assert "There is more" in err


def test_entries_are_searched_without_a_key(run, served):
    status, out, _ = run("search", "--url", served.url, "removed", '"version 0"')

    assert status == 0
    assert "removed version 0" in out
    assert "removed version 1" not in out


def test_entries_of_a_source_are_searched_with_a_key(run, served):
    key = ("--api-key", served.keys["diffs"], "--source", "acme.compute")
    status, out, _ = run("search", "--url", served.url, *key, "acme", "--", "-removed")

    assert status == 0
    assert "acme.compute" in out
    assert "removed" not in out


def test_important_says_why_and_until_when(run, served):
    status, out, _ = run("important", "--url", served.url, "--limit", "1")

    assert status == 0
    assert "breaking" in out
    assert "end of life: " in out


def test_a_source_is_picked_out_of_a_public_feed(run, served):
    arguments = ("--source", "globex.storage", "--since", "2d", "--limit", "50")
    _, out, err = run("important", "--url", served.url, *arguments)

    assert out.count("globex.storage  breaking") == 3
    assert "acme" not in out
    assert err == ""


@pytest.mark.parametrize("name", ["latest", "important", "entries"])
def test_that_there_is_no_entry_is_said(run, served, name):
    sources = ["acme.compute"] if name == "entries" else []
    key = served.keys["diffs"]

    arguments = ("--url", served.url, "--api-key", key, "--since", "2030-01-01")

    assert run(name, *sources, *arguments) == (0, "", "No entry was found.\n")


def test_that_there_is_no_diff_is_said(run, served):
    arguments = ("--url", served.url, "--api-key", served.keys["diffs"], "--since", "2030-01-01")

    assert run("diff", "acme.compute", *arguments) == (0, "", "No change was seen.\n")


def test_json_is_empty_without_a_word(run, served):
    status, out, err = run("latest", "--url", served.url, "--since", "2030-01-01", "--json")

    assert (status, json.loads(out)["items"], err) == (0, [], "")


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("latest", "list_latest"),
        ("important", "list_important"),
        ("entries", "list_entries"),
        ("diff", "get_diffs"),
    ],
)
def test_json_has_the_shape_of_the_api(run, served, monkeypatch, name, operation):
    monkeypatch.setenv("CHANGEWIRE_API_KEY", served.keys["diffs"])
    sources = ["acme.compute"] if name in ("entries", "diff") else []

    status, out, _ = run(name, *sources, "--url", served.url, "--limit", "3", "--json")

    headers = {"content-type": "application/json"}
    faults = ContractValidator(load_contract()).response(operation, 200, headers, out.encode())
    assert status == 0
    assert [fault.sentence for fault in faults] == []
    assert len(json.loads(out)["items"]) == (1 if name == "diff" else 3)


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


def test_a_key_without_sources_is_told_where_to_select_some(run, served):
    key = served.keys["nothing selected"]

    status, out, err = run("entries", "--url", served.url, "--api-key", key)

    assert (status, out) == (1, "")
    assert err == (
        "changewire: No source can be used with this key: none is selected, or more than the plan "
        "covers. Choose some at /app/api-keys.\n"
    )


def test_a_diff_is_read(run, served):
    key = served.keys["diffs"]

    status, out, _ = run("diff", "acme.compute", "--url", served.url, "--api-key", key)

    assert status == 0
    assert "~ Version 2  (title changed)" in out
    assert "title - Version 1" in out


def without_a_key(served):
    return ["entries", "acme.compute", "--url", served.url], "or set CHANGEWIRE_API_KEY."


def with_a_wrong_key(served):
    return ["latest", "--url", served.url, "--api-key", "cw_no"], "Run changewire login"


def without_the_addon(served):
    key = served.keys["all"]
    return ["diff", "acme.compute", "--url", served.url, "--api-key", key], "Diff API add-on"


def where_nobody_listens(served):
    return ["latest", "--url", "http://127.0.0.1:1"], "cannot be reached"


@pytest.mark.parametrize(
    "cause", [without_a_key, with_a_wrong_key, without_the_addon, where_nobody_listens]
)
def test_a_failure_is_one_line_that_says_what_to_do(run, served, cause):
    arguments, advice = cause(served)

    status, out, err = run(*arguments)

    assert (status, out) == (1, "")
    assert err.startswith("changewire: ")
    assert err.count("\n") == 1
    assert advice in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["latest", "--since", "yesterday"],
        ["latest", "--url", "nonsense"],
        ["latest", "--limit", "0"],
        ["diff"],
        ["diff", "a.b", "c.d"],
    ],
)
def test_wrong_usage_is_named_as_such(run, arguments):
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    assert "Usage:" in err


def browser(tmp_path, monkeypatch):
    """A browser that writes down where it was sent."""
    opened = tmp_path / "opened"
    program = tmp_path / "browser"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {opened}\n')
    program.chmod(0o755)
    monkeypatch.setenv("BROWSER", f"{program} %s")
    monkeypatch.setattr(webbrowser, "_tryorder", None)  # it reads the variable once a process
    return opened


@pytest.mark.parametrize(("lone", "place"), [(["--open"], 0), (["--open", "2"], 1)])
def test_a_page_is_opened_by_its_number(run, served, tmp_path, monkeypatch, lone, place):
    opened = browser(tmp_path, monkeypatch)

    _, out, _ = run("important", "--url", served.url, "--json", *lone)

    assert opened.read_text() == json.loads(out)["items"][place]["url"]


@pytest.mark.parametrize(
    ("number", "told"), [("7", "has no web address"), ("99", "no number 99 to open")]
)
def test_what_has_no_address_is_not_opened(run, served, tmp_path, monkeypatch, number, told):
    opened = browser(tmp_path, monkeypatch)
    key = served.keys["all"]

    status, _, err = run(
        "entries", "acme.compute", "--url", served.url, "--api-key", key, "--open", number
    )

    assert status == 1
    assert told in err
    assert not opened.exists()


def on_a_terminal(served, *arguments, **environment):
    """Run a command on a terminal of its own; return what it wrote there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*CHANGEWIRE, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "CHANGEWIRE_API_URL": served.url, "TERM": "xterm", **environment},
    )
    os.close(theirs)
    written = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        if not piece:
            break
        written += piece
    os.close(ours)
    assert process.wait(timeout=30) == 0
    return written.decode()


@pytest.mark.slow
def test_on_a_terminal_it_is_coloured_and_paged_and_vendors_cannot_write_escapes(served):
    written = on_a_terminal(
        served,
        "entries",
        "acme.compute",
        "--limit",
        "2",
        CHANGEWIRE_API_KEY=served.keys["all"],
        PAGER="sed s/^/paged:/",
    )

    lines = written.replace("\r\n", "\n").splitlines()
    assert all(line.startswith("paged:") for line in lines)
    assert "\x1b[36m" in written
    assert {part.partition("m")[0] for part in written.split("\x1b[")[1:]} <= {
        "0",
        "1",
        "2",
        "34",
        "36",
    }
    assert not set(written) & {"\x07", "\x9b", "\u202e", "\u200b"}
    assert "[31mred ]0;owned" in written


@pytest.mark.slow
def test_no_color_is_obeyed(served):
    written = on_a_terminal(served, "important", "--limit", "1", NO_COLOR="1", PAGER="cat")

    codes = {part.partition("m")[0] for part in written.split("\x1b[")[1:]}
    assert codes <= {"0", "1", "2", "3"}


def test_sources_are_found_by_what_they_are_called(run, served):
    arguments = ("--url", served.url, "--api-key", served.keys["diffs"])
    status, out, err = run("sources", "storage", "globex", *arguments)

    assert status == 0
    assert out.splitlines()[0] == "  1  Globex Storage  globex.storage  product, unknown"
    assert out.splitlines()[1].strip() == "https://globex.example/storage"
    assert err == "1 of 1 source.\n"


def test_sources_are_printed_for_programs(run, served):
    arguments = ("--url", served.url, "--api-key", served.keys["diffs"], "--json")
    status, out, _ = run("sources", "globex", "--limit", "1", *arguments)

    assert status == 0
    page = json.loads(out)
    assert (len(page["items"]), page["limit"]) == (1, 1)
    assert page["total"] >= 1


def test_what_nothing_is_called_is_said(run, served):
    arguments = ("--url", served.url, "--api-key", served.keys["diffs"])

    assert run("sources", "zzzzqqq", *arguments)[2] == (
        f"Nothing in the catalog is called that. Ask for it at {served.url}/sources.\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("entries", "acme.computer"),
            "The catalog has no source acme.computer. Did you mean acme.compute? "
            "changewire sources WORDS finds slugs.",
        ),
        (
            ("deadlines", "--to", "never"),
            "One or more query parameters are invalid. to must be a date such as 2026-11-01.",
        ),
        (
            ("latest", "--api-key", "cw_1"),
            "The API key is missing or not valid. Run changewire login, or set CHANGEWIRE_API_KEY.",
        ),
    ],
)
def test_what_to_do_is_said_for_a_terminal(run, served, arguments, message):
    key = () if "--api-key" in arguments else ("--api-key", served.keys["all"])
    status, _, err = run(*arguments, "--url", served.url, *key)

    assert (status, err) == (1, f"changewire: {message}\n")


def test_the_catalog_needs_a_key_in_a_terminal_too(run, served):
    status, _, err = run("sources", "mail", "--url", served.url)

    assert (status, "needs an API key" in err) == (1, True)


def test_options_about_entries_are_refused_for_sources(run, served):
    assert run("sources", "mail", "--url", served.url, "--since", "2d")[0] == 2
