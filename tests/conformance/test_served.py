"""The command as a user runs it, against the service as an operator runs it."""

import json
import subprocess
from xml.etree import ElementTree

import pytest
from connexion_passages import observed_servers
from specimen.serving import CHANGEWIRE, serve
from specimen.site import fill_site, the_time

from openapi.vocabulary import Plan
from storage.engine.database import open_database
from storage.people.accounts import add_account
from storage.people.keys import add_key


@pytest.fixture(scope="module")
def served(tmp_path_factory, new_database_url):
    """The specimen as a process of its own: its keys and its address."""
    site = fill_site(new_database_url(), now=the_time())
    folder = tmp_path_factory.mktemp("served")
    with observed_servers(folder) as observed, serve(site.url, folder, observed) as url:
        yield site, url


@pytest.mark.slow
def test_a_served_deployment_conforms_raw_requests_included(served, tmp_path):
    site, url = served
    keys = [word for name in ("free", "diffs") for word in ("--api-key", site.keys[name])]
    keys += ["--session", site.session]
    junit = tmp_path / "junit.xml"
    options = ["--max-examples", "1", "--json", "--junit", str(junit)]
    command = [*CHANGEWIRE, "conformance", "--url", url, *keys, *options]

    done = subprocess.run(command, capture_output=True, text=True, timeout=550)

    assert done.returncode == 0, done.stdout + done.stderr
    report = json.loads(done.stdout)
    assert report["verdict"] == "conforms"
    raw = [result for result in report["results"] if result["group"] == "wire"]
    assert len(raw) == 12
    assert {result["outcome"] for result in raw} == {"passed"}
    suites = ElementTree.parse(junit).getroot()
    assert int(suites.get("tests")) == len(report["results"])
    written = done.stdout + junit.read_text()
    secrets = (*site.keys.values(), site.session.partition("=")[2])
    assert not any(secret in written for secret in secrets)
    assert {result["outcome"] for result in report["results"] if "session" in result["check"]} == {
        "passed"
    }


@pytest.fixture
def key_without_scopes(served):
    site, _ = served
    database, now = open_database(site.url), the_time()
    with database.write() as session:
        account = add_account(session, "nothing@acme.example", now=now, plan=Plan.ALL)
        _, key = add_key(session, account, name="test", scopes=[], now=now)
    database.close()
    return key


@pytest.mark.slow
def test_a_key_without_scopes_is_told_in_one_line(served, key_without_scopes):
    _, url = served
    options = ["--api-key", key_without_scopes, "--max-examples", "0"]
    command = [*CHANGEWIRE, "conformance", "--url", url, *options]

    done = subprocess.run(command, capture_output=True, text=True, timeout=250)

    lines = (done.stdout + done.stderr).splitlines()
    assert [line for line in lines if "this key may read" in line] == [
        "left out, key 1 (no entries): this key may read neither entries nor diffs"
    ]
    assert key_without_scopes not in done.stdout + done.stderr
