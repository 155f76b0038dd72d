"""The configuration of nginx, tried with a real nginx in front of a real service."""

import asyncio
import ssl

import httpx2
import jsonschema_rs
import pytest
import zstandard
from nginx_front import HOST, make_certificate, running_nginx
from specimen.rows import SLUGS
from specimen.serving import CHANGEWIRE, free_port, listening
from specimen.site import make_site, the_time
from waiting import wait_until

from contract_diff.parse import parse_contract

ENTRIES = f"/api/v1/entries?limit=1&sources={SLUGS[0]}"


@pytest.fixture(scope="module")
def contract(root):
    return parse_contract((root / "openapi" / "openapi.yaml").read_text())


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    return make_site(tmp_path_factory.mktemp("site"), now=the_time())


@pytest.fixture(scope="module")
def service(site, tmp_path_factory):
    """The service as it runs behind a proxy; gives its port."""
    port = free_port()
    environment = {
        "CHANGEWIRE_DATABASE_URL": f"sqlite:///{site.file}",
        "CHANGEWIRE_SITE_URL": f"https://{HOST}",
        "CHANGEWIRE_TRUSTED_PROXIES": "127.0.0.1/32",
        "CHANGEWIRE_LOG_LEVEL": "warning",
    }
    command = [*CHANGEWIRE, "serve", "--port", str(port)]
    log = tmp_path_factory.mktemp("service") / "service.log"
    with listening(command, port, "/healthz", log, environment):
        yield port


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("nginx")


@pytest.fixture(scope="module")
def front(service, folder, program):
    """An nginx before the service: gives its ports without and with TLS."""
    make_certificate(program("openssl", "openssl"), folder)
    with running_nginx(program("nginx", "nginx-light"), folder, service) as ports:
        yield ports


@pytest.fixture
def ask(front, folder):
    """Ask through the proxy as a client that reached it by its name."""
    trusted = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
    with httpx2.Client(verify=trusted) as client:

        def ask(path, **headers):
            return client.get(
                f"https://127.0.0.1:{front[1]}{path}",
                headers={"Host": HOST, **headers},
                extensions={"sni_hostname": HOST},
            )

        yield ask


def decompress(body):
    """What httpx2 does only where Python can."""
    return zstandard.ZstdDecompressor().decompressobj().decompress(body)


def test_plain_http_leads_to_https(front):
    response = httpx2.get(f"http://127.0.0.1:{front[0]}/docs?x=1", headers={"Host": HOST})

    assert (response.status_code, response.headers["Location"]) == (301, f"https://{HOST}/docs?x=1")


def test_the_api_answers_with_a_key(ask, site):
    response = ask(ENTRIES, **{"X-Api-Key": site.keys["all"]})

    assert response.status_code == 200
    assert response.headers["Cache-Control"] == "private, no-cache"


def test_what_belongs_to_a_key_is_asked_of_the_service_every_time(ask, site):
    ask(ENTRIES, **{"X-Api-Key": site.keys["all"]})

    assert ask(ENTRIES).status_code == 401


def test_public_feeds_are_kept_for_a_minute(ask):
    first, second = ask("/rss/updates.xml"), ask("/rss/updates.xml")

    assert (first.status_code, second.headers["X-Cache"]) == (200, "HIT")
    assert first.content == second.content


@pytest.mark.parametrize(
    ("accept", "coding"),
    [("gzip, deflate, br, zstd", "zstd"), ("gzip", "gzip"), ("identity", None)],
)
def test_a_kept_feed_comes_in_a_coding_that_the_client_reads(ask, accept, coding):
    wanted = {"Accept-Encoding": accept}
    for _ in range(2):  # the second time it is kept
        response = ask("/feeds/updates.atom", **wanted)
        assert (response.status_code, response.headers.get("Content-Encoding")) == (200, coding)
        text = decompress(response.content).decode() if coding == "zstd" else response.text
        assert text.startswith("<?xml")
    assert response.headers["X-Cache"] == "HIT"
    again = {"If-None-Match": response.headers["ETag"]}
    assert ask("/feeds/updates.atom", **wanted, **again).status_code == 304


def test_a_page_with_a_token_is_not_compressed(ask):
    assert "Content-Encoding" in ask("/").headers
    assert "Content-Encoding" not in ask("/auth/login").headers


def test_metrics_are_not_for_everybody(ask):
    assert ask("/metrics").status_code == 404


def test_too_many_requests_get_the_error_of_the_contract(front, folder, contract):
    refused, health = asyncio.run(burst(front[1], folder))

    assert health.text == "alive\n"
    assert refused.headers["content-type"] == "application/json"
    assert refused.headers["retry-after"] == "2"
    assert refused.headers["access-control-allow-origin"] == "*"
    assert refused.json()["code"] == "rate_limited"
    validator = jsonschema_rs.validator_for(
        {"$ref": "#/components/schemas/Error", "components": contract["components"]}
    )
    assert validator.is_valid(refused.json())


async def burst(port, folder):
    """Send more requests at once than an address may; return one that was refused, and health."""
    trusted = ssl.create_default_context(cafile=str(folder / "fullchain.pem"))
    async with httpx2.AsyncClient(verify=trusted, headers={"Host": HOST}) as client:
        answers = await asyncio.gather(
            *(
                client.get(
                    f"https://127.0.0.1:{port}/api/v1/latest", extensions={"sni_hostname": HOST}
                )
                for _ in range(90)
            ),
            client.get(f"https://127.0.0.1:{port}/healthz", extensions={"sni_hostname": HOST}),
        )
    return next(answer for answer in answers if answer.status_code == 429), answers[-1]


def test_no_token_of_an_address_is_logged(ask, folder):
    ask("/private/a-secret/entries.atom")
    ask("/auth/confirm?token=a-secret")
    ask("/unsubscribe?token=a-secret", Referer=f"https://{HOST}/unsubscribe?token=a-secret")
    ask("/plans")

    log = folder / "access.log"
    wait_until(lambda: "GET /plans" in log.read_text(), 10)
    assert "GET /private/-" in log.read_text()
    assert "a-secret" not in log.read_text() + (folder / "error.log").read_text()
