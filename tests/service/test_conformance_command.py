"""changewire conformance, where nothing can be checked: it says why, in its exit code too."""

import json
import time
from importlib import import_module

import pytest
from specimen.listener import Handler, Listener

import conformance.site
import conformance.suite
from conformance.reports import Report
from service import command_line

SITE = ("conformance", "--url", "http://127.0.0.1:1")


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Let no test wait for a site that is starting."""
    monkeypatch.setattr(conformance.suite, "WAIT_SECONDS", 0)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*SITE, "--", "--nonsense"), "--nonsense"),
        (("conformance", "--url", "127.0.0.1:8080"), "'127.0.0.1:8080' is not"),
        ((*SITE, "--limited-key", "cw_secret"), "KEY=/diffs:402"),
        ((*SITE, "--api-key", ""), "--api-key"),
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
        ((*SITE, "--contract", "missing.yaml"), 2, "missing.yaml cannot be read"),
        ((*SITE, "--feed-address", "acme"), 2, "acme is no address of a feed"),
        ((*SITE, "--junit", "."), 2, ". cannot be written: Is a directory"),
    ],
)
def test_what_cannot_be_reached_or_read_is_told_in_one_line(run, arguments, code, said):
    status, out, err = run(*arguments)

    assert (status, out) == (code, "")
    assert said in err
    assert err.strip().count("\n") == 0


def test_a_contract_that_cannot_be_used_is_wrong_usage(run, tmp_path):
    file = tmp_path / "contract.yaml"
    file.write_text("openapi: 3.1.0\npaths: {}\n")

    status, out, err = run(*SITE, "--contract", str(file))

    assert (status, out) == (2, "")
    assert "OpenAPI 3.1.0; only 3.0 is read" in err
    assert err.count("\n") == 1


UNSEEN = "GET /diffs: every request was refused (402)"


@pytest.mark.parametrize(
    ("ended", "unseen", "options", "status"),
    [
        (0, [], ["--require-evidence"], 0),
        (0, [UNSEEN], [], 0),
        (0, [UNSEEN], ["--require-evidence"], 3),
        (1, [UNSEEN], ["--require-evidence"], 1),
        (2, [], [], 130),
        (3, [], [], 1),
        (5, [], [], 2),
    ],
)
def test_the_status_of_pytest_is_translated(run, monkeypatch, ended, unseen, options, status):
    report = Report()
    report.status, report.unseen = ended, unseen
    monkeypatch.setattr("conformance.reports.run", lambda _: report)

    assert run(*SITE, *options)[0] == status


@pytest.mark.parametrize("arguments", [("conformance", "--url", "x"), ("contract", "check")])
def test_without_its_extra_a_command_says_what_to_install(run, monkeypatch, arguments):
    def load(module):
        if module.startswith("service.commands"):
            raise ModuleNotFoundError(name="pytest")
        return import_module(module)

    monkeypatch.setattr(command_line, "import_module", load)
    status, out, err = run(*arguments)

    assert (status, out) == (1, "")
    assert "pip install 'changewire[conformance]'" in err


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
    assert err == "ERROR: key 1 was refused with 401: Revoked. Really.\n\n"


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


def test_a_site_that_hangs_is_told_in_one_line(run, monkeypatch):
    monkeypatch.setattr(conformance.site, "TIMEOUT_SECONDS", 0.3)
    monkeypatch.setattr(conformance.suite, "TIMEOUT_SECONDS", 0.3)

    status, out, err = served(Silent, run)

    assert (status, out) == (4, "")
    assert "/openapi.json was not answered" in err
    assert err.strip().count("\n") == 0
