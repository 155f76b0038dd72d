"""changewire stack: from the files on a machine to the findings of the running service."""

import json
from xml.etree.ElementTree import fromstring

import pytest

REQUIREMENTS = "# ours\nacme-storage==1.100.0\nleft-pad==1.0\nglobex-storage==2.0\n"


@pytest.fixture
def stack(run, served, monkeypatch, tmp_path):
    """Run the command in a folder with a requirements.txt; return status, stdout and stderr."""
    (tmp_path / "requirements.txt").write_text(REQUIREMENTS, encoding="utf-8")
    monkeypatch.setenv("CHANGEWIRE_DATABASE_URL", f"sqlite:///{tmp_path}/none.db")

    def stack(*arguments, key="free", url=None):
        monkeypatch.setenv("CHANGEWIRE_API_URL", url or served.url)
        monkeypatch.setenv("CHANGEWIRE_API_KEY", served.keys.get(key, key))
        return run("stack", "--wait", "0", *arguments)

    return stack


def test_a_gate_fails_where_something_breaks_and_writes_every_format(stack, tmp_path):
    outputs = ("--sarif", "out.sarif", "--junit", "out.xml")

    status, out, err = stack("requirements.txt", "--fail-on", "breaking,end-of-life", *outputs)

    assert status == 1
    assert "breaking\tpkg:pypi/acme-storage\t1.100.0\t1.120.0\trequirements.txt:2" in out
    assert "2 packages compared, 0 without a source, 1 being looked up; 137 newer entries." in err
    assert "Being looked up, try again soon: pkg:pypi/left-pad" in err
    assert "Failed: breaking, end-of-life." in err
    (sarif,) = json.loads((tmp_path / "out.sarif").read_text())["runs"]
    assert {result["level"] for result in sarif["results"]} == {"error"}
    suite = fromstring((tmp_path / "out.xml").read_bytes())
    counts = [suite.get(name) for name in ("tests", "failures", "skipped")]
    assert counts == ["3", "2", "1"]


def test_packages_that_are_looked_up_are_waited_for(run, scripted, tmp_path, monkeypatch):
    (tmp_path / "requirements.txt").write_text("left-pad==1.0\n")
    monkeypatch.setattr("time.sleep", lambda _: None)
    known = {"selected": [], "items": [], "deadlines": [], "gaps": [], "total": 0}
    counts = dict.fromkeys(("breaking", "deprecation", "security"), 0)
    answer = known | {"uncovered": ["pkg:pypi/left-pad"], "counts": counts}
    waits = {"part": "pkg:pypi/left-pad", "reason": "being_looked_up", "text": "Soon."}
    server = scripted((200, answer | {"unknown": [waits]}), (200, answer | {"unknown": []}))

    _, _, err = run("stack", "requirements.txt", "--url", server.url, "--api-key", "cw_key")

    assert len(server.requests) == 2
    assert "Looking up 1 package…" in err
    assert "1 without a source, 0 being looked up" in err


def test_what_runs_is_saved_under_a_name(stack):
    _, _, err = stack("requirements.txt", "--save", "web")
    status, _, refused = stack("requirements.txt", "--save", "")

    assert "Saved as web: 3 packages." in err
    assert (status, len(refused.splitlines())) == (4, 1)


def test_no_name_is_looked_up_where_the_user_does_not_want_it(stack):
    _, _, err = stack("requirements.txt", "--no-lookup")

    assert "1 without a source, 0 being looked up" in err


@pytest.mark.parametrize(
    ("arguments", "status", "line"),
    [
        (("nothing.txt",), 2, "nothing.txt cannot be read: No such file or directory."),
        (("broken.json",), 2, "broken.json: This is not valid JSON (line 1)."),
        (("requirements.txt", "--fail-on", "rain"), 2, "is not one of breaking"),
        (("requirements.txt", "--within", "soon"), 2, "Write days or weeks"),
        ((), 2, "FILE"),
    ],
)
def test_wrong_usage_is_told_in_one_line(stack, tmp_path, arguments, status, line):
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")

    code, out, err = stack(*arguments)

    assert (code, out) == (status, "")
    assert line in err


@pytest.mark.parametrize(
    ("key", "url"), [("wrong", None), ("", None), ("free", "http://127.0.0.1:9")]
)
def test_a_service_that_does_not_answer_is_no_finding(stack, key, url):
    status, out, err = stack("requirements.txt", "--fail-on", "breaking", key=key, url=url)

    assert (status, out) == (4, "")
    assert len(err.splitlines()) == 1
