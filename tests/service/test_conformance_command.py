"""changewire conformance, where nothing can be checked: it says why, in its exit code too."""

import json
import time
from contextlib import suppress

import pytest
from specimen.listener import Handler, Listener

import conformance.site
from conformance.report import Fault, Report, Result

SITE = ("conformance", "--url", "http://127.0.0.1:1")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("conformance", "--url", "127.0.0.1:8080"), "'127.0.0.1:8080' is not"),
        ((*SITE, "--limited-key", "cw_secret"), "KEY=/diffs:402"),
        ((*SITE, "--limited-key", "cw_secret=/sources:402"), "KEY=/diffs:402"),
        ((*SITE, "--limited-key", "=/diffs:402"), "--limited-key"),
        ((*SITE, "--api-key", ""), "--api-key"),
        ((*SITE, "--api-key", "cw_sécret"), "--api-key"),
        ((*SITE, "--dead-key", "cw_secret\n"), "--dead-key"),
        ((*SITE, "--session", "secret"), "NAME=VALUE"),
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
        ("openapi: 3.1.0\npaths: {}\n", "OpenAPI 3.1.0; only 3.0 is read"),
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


UNSEEN = "GET /diffs: every request was refused (402)"


@pytest.mark.parametrize(
    ("failed", "unseen", "options", "status"),
    [
        (False, (), ["--require-evidence"], 0),
        (False, (UNSEEN,), [], 0),
        (False, (UNSEEN,), ["--require-evidence"], 3),
        (True, (UNSEEN,), ["--require-evidence"], 1),
    ],
)
def test_what_was_never_seen_exits_3_only_on_demand(
    run, monkeypatch, failed, unseen, options, status
):
    faults = (Fault("gave two"),) if failed else ()
    result = Result("a-check", "specification", "GET /a", "no key", 3, faults)
    report = Report("http://127.0.0.1:1", (result,), requests=3, unseen=unseen)
    monkeypatch.setattr("service.commands.conformance.run_suite", lambda *_, **__: report)

    ended, out, _ = run(*SITE, *options)

    assert ended == status
    assert all(f"never seen, {line}" in out for line in unseen)


def test_junit_is_written_to_the_file_that_is_named(run, monkeypatch, tmp_path):
    report = Report("http://127.0.0.1:1", (), requests=0)
    monkeypatch.setattr("service.commands.conformance.run_suite", lambda *_, **__: report)

    assert run(*SITE, "--junit", str(tmp_path / "junit.xml"))[0] == 0
    assert "<testsuites" in (tmp_path / "junit.xml").read_text()
    status, _, err = run(*SITE, "--junit", str(tmp_path))
    assert (status, err) == (2, f"changewire: {tmp_path} cannot be written: Is a directory.\n")


class Refusing(Handler):
    """A site with a contract, whose API refuses every key."""

    def do_GET(self):
        contract = self.path == "/openapi.json"
        body = {"openapi": "3.0.3", "info": {"title": "A", "version": "1.0.0"}, "paths": {}}
        sent = json.dumps(body if contract else {"message": "Revoked.\nReally."}).encode()
        self.respond(200 if contract else 401, sent, {"Content-Type": "application/json"})


def test_a_key_that_is_refused_is_told_in_one_line(run):
    status, out, err = served(Refusing, run, "--api-key", "cw_secret")

    assert (status, out) == (4, "")
    assert err == "key 1 was refused with 401: Revoked. Really.\n"


def served(handler, run, *arguments):
    site = Listener(handler)
    try:
        return run("conformance", "--url", site.url, *arguments)
    finally:
        site.close()


class Silent(Handler):
    """A site that takes requests and answers none."""

    def do_GET(self):
        time.sleep(1)


class Dripping(Handler):
    """A site whose answers never end."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        with suppress(OSError):
            for _ in range(40):
                self.wfile.write(b" ")
                self.wfile.flush()
                time.sleep(0.05)


@pytest.mark.parametrize(
    ("handler", "said"),
    [(Silent, "timed out"), (Dripping, "its body was not complete after 0 seconds")],
)
def test_a_site_that_hangs_is_told_in_one_line(run, monkeypatch, handler, said):
    monkeypatch.setattr(conformance.site, "TIMEOUT", 0.3)

    status, out, err = served(handler, run)

    assert (status, out) == (4, "")
    assert "/openapi.json was not answered" in err
    assert said in err
    assert err.count("\n") == 1


class OfAnotherVersion(Handler):
    """A site whose contract is written in OpenAPI 3.1."""

    def do_GET(self):
        contract = b'{"openapi": "3.1.0", "paths": {}}'
        self.respond(200, contract, {"Content-Type": "application/json"})


def test_a_site_whose_contract_cannot_be_used_is_told_in_one_line(run):
    status, out, err = served(OfAnotherVersion, run)

    assert (status, out) == (4, "")
    assert "It is written in OpenAPI 3.1.0; only 3.0 is read." in err
    assert err.count("\n") == 1
