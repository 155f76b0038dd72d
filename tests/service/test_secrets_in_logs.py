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

KEYS_IN_HEADERS = ("X-Api-Key", "Authorization")
FIELDS = ("note", "name", "vendor", "email")
SETTINGS = {
    "CHANGEWIRE_SMTP_URL": "smtp://somebody:{}@127.0.0.1:9",
    "CHANGEWIRE_SECRET_KEY": "{}",
    "CHANGEWIRE_METRICS_TOKEN": "{}",
    "CHANGEWIRE_GITHUB_TOKEN": "{}",
}


def marked():
    return f"sesame{secrets.token_hex(16)}"


def with_key(client, key, name):
    client.get("/api/v1/entries", headers={name: key if name == "X-Api-Key" else f"Bearer {key}"})


def as_parameter(client, key):
    client.get("/api/v1/sources", params={"api_key": key})


def in_the_path(client, key):
    client.get(f"/api/v1/{key}")


def as_cookie(client, secret):
    client.get("/app/api-keys", headers={"Cookie": f"session={secret}; __Host-session={secret}"})


def as_sign_in_link(client, secret):
    client.get("/auth/confirm", params={"token": secret})


def as_password(client, secret):
    client.get("/api/v1/diffs", params={"source": "acme.compute"}, auth=("somebody", secret))


def as_referrer(client, secret):
    client.get("/", headers={"Referer": f"https://acme.example/?token={secret}"})


def as_form(client, secret):
    client.post("/auth/login", data={"email": f"{secret}@acme.example", "csrf_token": secret})


def as_private_address(client, secret):
    client.get(f"/private/{secret}/entries.atom")


def as_metrics_token(client, secret):
    client.get("/metrics", headers={"Authorization": f"Bearer {secret}"})


def as_wish(client, secret):
    body = {"url": f"https://acme.example/{secrets.token_hex(4)}"}
    body |= dict.fromkeys(FIELDS, f"{secret}@acme.example")
    client.post("/api/v1/sources/request", json=body)


WAYS = (
    *((lambda client, key, name=name: with_key(client, key, name)) for name in KEYS_IN_HEADERS),
    as_parameter,
    in_the_path,
)
OTHER_WAYS = (
    as_cookie,
    as_sign_in_link,
    as_private_address,
    as_password,
    as_referrer,
    as_form,
    as_metrics_token,
    as_wish,
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
            with_key(client, key, "X-Api-Key")
        for number in range(400):
            told.append(key := new_key().text)
            WAYS[number % len(WAYS)](client, key)
        for number in range(600):
            told.append(secret := marked())
            OTHER_WAYS[number % len(OTHER_WAYS)](client, secret)
    return told, log.read_text()


def test_a_thousand_secrets_went_in(shown):
    assert len(set(shown[0])) >= 1000


def test_no_secret_is_written(shown):
    told, log = shown

    assert [secret for secret in told if secret in log] == []


def test_every_request_is_written_with_its_id(shown):
    lines = [json.loads(line) for line in shown[1].splitlines() if line.startswith("{")]
    requests = [line for line in lines if line["event"] == "request"]

    assert len(requests) >= 1000
    assert all(line["request_id"] for line in requests)
