"""changewire conformance, where nothing can be checked: it says why, in its exit code too."""

import json

import pytest
from specimen.listener import Handler, Listener

SITE = ("conformance", "--url", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("conformance", "--url", "127.0.0.1:8080"), "no address such as"),
        ((*SITE, "--check", "since-is-stric"), "since-is-strict"),
        ((*SITE, "--check", "x"), "docs/conformance.md"),
        ((*SITE, "--limited-key", "cw_secret"), "KEY=/diffs:402"),
        ((*SITE, "--limited-key", "cw_secret=/sources:402"), "KEY=/diffs:402"),
        ((*SITE, "--rate", "0"), "--rate"),
    ],
)
def test_wrong_usage_exits_2_and_shows_no_key(run, arguments, said):
    status, out, err = run(*arguments)

    assert (status, out) == (2, "")
    assert said in err
    assert "secret" not in err


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (SITE, 4, "http://127.0.0.1:1/openapi.json was not answered"),
        (
            ("conformance", "--url", "http://127.0.0.1:1/api/v1/"),
            4,
            "127.0.0.1:1/.well-known/api-catalog",
        ),
        ((*SITE, "--contract", "missing.yaml"), 2, "missing.yaml cannot be read"),
        ((*SITE, "--feed-addresses", "missing.txt"), 2, "missing.txt cannot be read"),
        ((*SITE, "--feed-address", "acme"), 2, "acme is no address of a feed"),
    ],
)
def test_what_cannot_be_reached_or_read_is_told_in_one_line(run, arguments, code, said):
    status, out, err = run(*arguments)

    assert (status, out) == (code, "")
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("openapi: 3.0.3\npaths: []\n", "paths"),
        ("openapi: 2.0\npaths: {}\n", "OpenAPI"),
        ("openapi: 3.0.3\npaths: {/a: {$ref: '#/b'}}\n", "#/b leads nowhere"),
    ],
)
def test_a_contract_that_cannot_be_used_is_wrong_usage(run, tmp_path, document, said):
    file = tmp_path / "contract.yaml"
    file.write_text(document)

    status, out, err = run(*SITE, "--contract", str(file))

    assert (status, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1


class Refusing(Handler):
    """A site with a contract, whose API refuses every key."""

    def do_GET(self):
        contract = self.path == "/openapi.json"
        body = {"openapi": "3.0.3", "info": {"title": "A", "version": "1.0.0"}, "paths": {}}
        sent = json.dumps(body if contract else {"message": "Revoked.\nReally."}).encode()
        self.send_response(200 if contract else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)


def test_a_key_that_is_refused_is_told_in_one_line(run):
    site = Listener(Refusing)
    try:
        url = f"http://127.0.0.1:{site.server_port}"
        status, out, err = run("conformance", "--url", url, "--api-key", "cw_secret")
    finally:
        site.close()

    assert (status, out) == (4, "")
    assert err == "key 1 was refused with 401: Revoked. Really.\n"
