"""Secrets are changed as docs/operating.md tells it: nobody who may read is refused meanwhile."""

import re
import urllib.request
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode

import psycopg
import pytest
from specimen.serving import serve
from specimen.site import fill_site, the_time

SETTINGS = {"SECRET_KEY": "old" * 12, "METRICS_TOKEN": "the-old-token-of-metrics"}
NEW = {"SECRET_KEY": "new" * 12, "METRICS_TOKEN": "the-new-token-of-metrics"}
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')
SECTION = re.compile(r"^## Secrets\n(.*?)^## ", re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def postgresql(new_server):
    """A server that asks everybody but its owner for a password."""
    server = new_server()
    (server.data / "pg_hba.conf").write_text(
        "local all postgres trust\nlocal all all scram-sha-256\n"
    )
    server.start()
    server.execute("CREATE ROLE changewire LOGIN PASSWORD 'old-password'")
    server.execute("CREATE DATABASE changewire OWNER changewire TEMPLATE template0")
    yield server
    server.stop()


def address_of(server, role, password):
    return f"postgresql+psycopg://{role}:{password}@/changewire?host={server.folder}"


def block_of(root, beginning):
    """The statements of a block of the manual's section."""
    section = SECTION.search((root / "docs" / "operating.md").read_text())[1]
    (block,) = re.findall(rf"```sql\n({re.escape(beginning)}.*?)```", section, re.DOTALL)
    return block.replace("NEW-PASSWORD", "new-password")


def metrics_with(url, token):
    """The status of /metrics for somebody behind a proxy, who has a token."""
    headers = {"Authorization": f"Bearer {token}", "X-Forwarded-For": "192.0.2.7"}
    try:
        return urllib.request.urlopen(
            urllib.request.Request(f"{url}/metrics", headers=headers)
        ).status
    except HTTPError as error:
        return error.code


class Visitor:
    """A browser that opened the form of signing in and has not sent it yet."""

    def __init__(self, url):
        self._open = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(CookieJar())
        ).open
        page = self._open(f"{url}/auth/login").read().decode()
        self._form = {"csrf_token": TOKEN.search(page)[1], "email": "ada@acme.example"}

    def send(self, url):
        try:
            return self._open(f"{url}/auth/login", urlencode(self._form).encode()).status
        except HTTPError as error:
            return error.code


@pytest.mark.slow
def test_key_token_and_password_are_changed_one_server_after_the_other(postgresql, root, tmp_path):
    old = address_of(postgresql, "changewire", "old-password")
    new = address_of(postgresql, "changewire_b", "new-password")
    fill_site(old, now=the_time())
    first = {f"CHANGEWIRE_{name}": value for name, value in SETTINGS.items()}
    second = {f"CHANGEWIRE_{name}": value for name, value in NEW.items()}
    overlap = {**second, "CHANGEWIRE_SECRET_KEY_BEFORE": SETTINGS["SECRET_KEY"]}
    for folder in ("first", "second", "third"):
        (tmp_path / folder).mkdir()

    with serve(old, tmp_path / "first", first) as before:
        visitor, late = Visitor(before), Visitor(before)
        assert metrics_with(before, SETTINGS["METRICS_TOKEN"]) == 200
        postgresql.execute(block_of(root, "CREATE ROLE"))
        with serve(new, tmp_path / "second", overlap) as after:
            statuses = [
                urllib.request.urlopen(f"{url}/api/v1/latest").status for url in (before, after)
            ]
            sent = visitor.send(after)
            metrics = [metrics_with(after, each["METRICS_TOKEN"]) for each in (SETTINGS, NEW)]
    postgresql.execute(block_of(root, "ALTER ROLE changewire NOLOGIN"))
    with serve(new, tmp_path / "third", second) as last:
        refused = late.send(last)
        stored = urllib.request.urlopen(f"{last}/api/v1/latest").status

    assert statuses == [200, 200]
    assert sent == 200
    assert metrics == [404, 200]
    assert (refused, stored) == (400, 200)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(old.replace("+psycopg", ""))
