"""changewire login and logout against the running service, with a browser that is a program."""

import json
import os
import re
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import httpx2
import pytest
from specimen.serving import CHANGEWIRE

from openapi.vocabulary import Plan, Scope
from storage.catalog.sources import ids_of
from storage.engine.database import open_database
from storage.people.accounts import add_account
from storage.people.keys import add_key, select_sources
from storage.people.sessions import add_session

KEYRING = """
import json, pathlib
from keyring.backend import KeyringBackend
FILE = pathlib.Path(__file__).with_name("keyring.json")
class Keyring(KeyringBackend):
    priority = 1
    def _all(self):
        return json.loads(FILE.read_text()) if FILE.exists() else {}
    def get_password(self, service, name):
        return self._all().get(f"{service} {name}")
    def set_password(self, service, name, password):
        FILE.write_text(json.dumps({**self._all(), f"{service} {name}": password}))
    def delete_password(self, service, name):
        others = self._all()
        del others[f"{service} {name}"]
        FILE.write_text(json.dumps(others))
"""
BROWSER = """
import sys
from tests.client.test_login import click
click(sys.argv[1], {cookie!r}, {answer!r})
"""
pytestmark = pytest.mark.slow


def click(address, cookie, answer):
    """Do what somebody who is signed in does on the page of an address."""
    with httpx2.Client(cookies={"session": cookie}, follow_redirects=False) as browser:
        page = browser.get(address)
        token = re.search(r'name="csrf_token" value="([^"]+)"', page.text)[1]
        code = re.search(r'name="code" value="([^"]+)"', page.text)[1]
        form = {"csrf_token": token, "code": code, "answer": answer}
        response = browser.post(address.partition("?")[0], data=form)
        if "Refresh" in response.headers:
            response = browser.get(response.headers["Refresh"].partition("url=")[2])
        assert response.status_code == 303, response.text
        return browser.get(str(response.url.join(response.headers["Location"]))).text


@pytest.fixture
def cookie(served):
    """The session of somebody who has selected a source."""
    database, now = open_database(f"sqlite:///{served.file}"), datetime.now(UTC)
    with database.write() as session:
        email = f"{now:%H%M%S%f}@acme.example"
        account = add_account(session, email, now=now, plan=Plan.STARTER)
        key, _ = add_key(session, account, name="one", scopes=list(Scope), now=now)
        select_sources(session, key, ids_of(session, ["acme.compute"]).values(), now=now)
        cookie = add_session(session, account, now=now)
    database.close()
    return cookie


@pytest.fixture
def environment(served, cookie, tmp_path):
    """That of a terminal, with a keyring and a browser that allows everything."""
    (tmp_path / "filekeyring.py").write_text(KEYRING)
    checkout = Path(__file__).parents[2]
    for answer in ("allow", "refuse"):
        code = BROWSER.format(cookie=cookie, answer=answer)
        (tmp_path / f"{answer}.py").write_text(code)
    known = {name: text for name, text in os.environ.items() if not name.startswith("CHANGEWIRE_")}
    paths = [tmp_path, checkout, checkout / "tests/helpers", os.environ.get("PYTHONPATH", "")]
    return {
        **known,
        "PYTHONPATH": os.pathsep.join(str(path) for path in paths if path),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PYTHON_KEYRING_BACKEND": "filekeyring.Keyring",
        "BROWSER": f"{sys.executable} {tmp_path / 'allow.py'} %s",
    }


@pytest.fixture
def terminal(environment, tmp_path):
    """Run a command: gives status, stdout and stderr."""

    def terminal(*arguments, **other):
        done = subprocess.run(
            [*CHANGEWIRE, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
            env=environment | other,
        )
        return done.returncode, done.stdout, done.stderr

    return terminal


def test_a_browser_gives_a_key_that_the_commands_use_until_it_is_given_back(
    terminal, served, tmp_path
):
    status, out, err = terminal("login", served.url)
    _, entries, _ = terminal("entries", "acme.compute", "--limit", "1", "--json")
    logins = json.loads((tmp_path / "config" / "changewire" / "logins.json").read_text())
    (key,) = json.loads((tmp_path / "keyring.json").read_text()).values()
    again = terminal("logout")
    without = terminal("entries", "acme.compute", "--url", served.url)
    refused = terminal("entries", "acme.compute", "--url", served.url, CHANGEWIRE_API_KEY=key)

    assert (status, out) == (0, ""), err
    assert f"You are logged in to {served.url}" in err
    assert json.loads(entries)["items"][0]["source"] == "acme.compute"
    assert logins == {f"{served.url}/api/v1": None}
    assert again[0] == 0
    assert "revoked and forgotten" in again[2]
    assert (without[0], "changewire login" in without[2]) == (1, True)
    assert (refused[0], "not valid" in refused[2]) == (1, True)


def test_a_code_gives_a_key_where_there_is_no_browser(
    environment, terminal, served, cookie, tmp_path
):
    command = [*CHANGEWIRE, "login", served.url, "--no-browser", "--file"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    ) as login:
        told = re.search(r"Open (\S+) .* code (\S+)", login.stderr.readline())
        shown = click(f"{told[1]}?code={told[2].lower()}", cookie, "allow")
        err = login.stderr.read()
        assert login.wait(timeout=60) == 0, err
    file = tmp_path / "config" / "changewire" / "logins.json"

    assert "Your terminal is connected" in shown
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert terminal("entries", "acme.compute", "--limit", "1")[0] == 0
    assert terminal("logout")[0] == 0
    assert json.loads(file.read_text()) == {}


def test_without_leave_or_without_a_keyring_there_is_no_key(terminal, served, tmp_path):
    refused = terminal("login", served.url, BROWSER=f"{sys.executable} {tmp_path}/refuse.py %s")
    none = terminal("login", served.url, PYTHON_KEYRING_BACKEND="keyring.backends.fail.Keyring")
    absent = terminal("logout", served.url)
    nobody = terminal("login", "http://127.0.0.1:9", "--file", "--no-browser")

    assert (refused[0], "It was refused in the browser." in refused[2]) == (1, True)
    assert (none[0], "No keyring can be used here" in none[2]) == (1, True)
    assert (absent[0], "has no key" in absent[2]) == (1, True)
    assert (nobody[0], nobody[2].endswith("cannot be reached: Connection refused.\n")) == (1, True)
