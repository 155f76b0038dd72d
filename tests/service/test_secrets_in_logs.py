"""A thousand secrets go through a running service; its log at level debug holds none of them."""

import json
import secrets

import httpx2
import pytest
from connexion_passages import observed_servers
from specimen.serving import CHANGEWIRE, free_port, listening
from specimen.site import make_site, the_time

from storage.people.credentials import new_key

pytestmark = pytest.mark.slow

SETTINGS = {
    "CHANGEWIRE_SMTP_URL": "smtp://somebody:{}@127.0.0.1:9",
    "CHANGEWIRE_SECRET_KEY": "{}",
    "CHANGEWIRE_METRICS_TOKEN": "{}",
    "CHANGEWIRE_GITHUB_TOKEN": "{}",
}


def marked():
    return f"sesame{secrets.token_hex(16)}"


WAYS = (
    lambda client, key: client.get("/api/v1/entries", headers={"X-Api-Key": key}),
    lambda client, key: client.get("/api/v1/entries", headers={"Authorization": f"Bearer {key}"}),
    lambda client, key: client.get("/api/v1/sources", params={"api_key": key}),
    lambda client, key: client.get(f"/api/v1/{key}"),
)
OTHER_WAYS = (
    lambda client, it: client.get(
        "/app/api-keys", headers={"Cookie": f"session={it}; __Host-session={it}"}
    ),
    lambda client, it: client.get("/auth/confirm", params={"token": it}),
    lambda client, it: client.get(f"/private/{it}/entries.atom"),
    lambda client, it: client.get("/api/v1/diffs?source=acme.compute", auth=("somebody", it)),
    lambda client, it: client.get("/", headers={"Referer": f"https://acme.example/?token={it}"}),
    lambda client, it: client.post(
        "/auth/login", data={"email": f"{it}@acme.example", "csrf_token": it}
    ),
    lambda client, it: client.get("/metrics", headers={"Authorization": f"Bearer {it}"}),
    lambda client, it: client.post(
        "/api/v1/sources/request",
        json={"url": f"https://acme.example/{secrets.token_hex(4)}"}
        | dict.fromkeys(("note", "name", "vendor", "email"), f"{it}@acme.example"),
    ),
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """The secrets that were sent or configured, and what the service wrote meanwhile."""
    folder = tmp_path_factory.mktemp("secrets")
    site = make_site(folder, now=the_time())
    told = [marked() for _ in SETTINGS]
    settings = {
        name: form.format(secret)
        for (name, form), secret in zip(SETTINGS.items(), told, strict=True)
    }
    environment = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{site.file}",
        "CHANGEWIRE_LOG_LEVEL": "debug",
        "CHANGEWIRE_LOG": "json",
        **settings,
    }
    port, log = free_port(), folder / "service.log"
    command = [*CHANGEWIRE, "serve", "--port", str(port)]
    told += list(site.keys.values())
    with (
        observed_servers(folder) as observed,
        listening(command, port, "/healthz", log, environment | observed) as url,
        httpx2.Client(base_url=url, timeout=30) as client,
    ):
        for key in site.keys.values():
            WAYS[0](client, key)
        for number in range(400):
            told.append(key := new_key())
            WAYS[number % len(WAYS)](client, key)
        for number in range(600):
            told.append(secret := marked())
            OTHER_WAYS[number % len(OTHER_WAYS)](client, secret)
    return told, log.read_text()


def test_every_request_is_written_with_its_id_and_no_secret(shown):
    told, log = shown
    lines = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]

    assert [secret for secret in told if secret in log] == []
    assert min(len(set(told)), len(requests)) >= 1000
    assert all(line["request_id"] for line in requests)
