"""The suite on the service as it is."""

import json
import re
import time
from itertools import count
from types import SimpleNamespace

import pytest
from faults.fault import Fault
from specimen import listener as servers
from specimen.listener import Handler
from specimen.site import copied, open_service

from conformance.callers import PUBLIC, LimitedKey
from conformance.checks import CHECKS
from conformance.checks.probe import Audience
from conformance.checks.universal import RULES
from conformance.fuzzing import FuzzingOptions, fuzz
from conformance.listener import Listener
from conformance.report import NOBODY
from conformance.site import Pace
from conformance.suite import NoContract, Options, UnreadableContract, run
from openapi.contract import load_contract


@pytest.fixture(scope="module")
def whole_run(running, started_at):
    """A run with everything that a run without keys does: what it sent, its turns, its report."""
    sent, turns = [], []
    fault = Fault(asked=lambda request: sent.append((request.method, request.path)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Pace, "wait", lambda _: turns.append(1))
        report = run(fault.around(running.app), now=started_at, options=Options(max_examples=1))
    return SimpleNamespace(sent=sent, turns=len(turns), report=report)


def test_the_service_keeps_every_sentence_for_every_caller(site, started_at):
    options = Options(
        max_examples=0, allow_writes=True, strict=True, session=site.session,
        dead_keys=site.dead_keys, limited_keys=site.limited_keys,
    )  # fmt: skip
    keys = [site.keys[name] for name in ("free", "starter", "diffs", "diffs only")]
    with copied(site) as url, open_service(url) as app:
        report = run(app, keys, now=started_at, options=options)

    assert [(result.check, result.caller, result.faults) for result in report.failed] == []
    assert {result.caller for result in report.results} - {NOBODY} == {
        "no key",
        "key 1 (free)",
        "key 2 (starter)",
        "key 3 (all, diffs)",
        "key 4 (no entries, diffs)",
    }


@pytest.mark.slow
def test_the_service_answers_generated_requests_as_the_contract_says(running, started_at):
    options = Options(max_examples=2, decisions=False)
    report = run(running.app, [running.keys["diffs"]], now=started_at, options=options)
    generated = [result for result in report.results if result.group == "contract"]

    assert [(result.check, result.caller, result.faults) for result in report.failed] == []
    assert {result.operation for result in generated} >= {
        "GET /sources",
        "GET /entries",
        "GET /diffs",
    }
    assert {"response-schema-conformance", "negative-data-rejection", "ignored-auth"} <= {
        result.check for result in generated
    }


def test_no_key_that_was_sent_is_written_down_nor_what_was_made_of_it(broken, running, started_at):
    def answered(reply):
        if reply.status in (401, 402, 403) and reply.body:
            reply.json = {**reply.json, "detail": "More."}

    key, dead, limited = (running.keys[name] for name in ("free", "starter", "diffs"))
    names = ("limited-keys-are-refused", "dead-keys-are-refused", "wrong-keys-are-refused")
    options = Options(
        only=frozenset({*names, "nothing-unnamed-is-sent"}),
        strict=True,
        dead_keys=(dead,),
        limited_keys=(LimitedKey(limited, "/diffs", 402),),
    )

    report = run(broken(answered=answered), [key], now=started_at, options=options)

    written = json.dumps(report.as_json())
    assert "$CHANGEWIRE_API_KEY" in written
    for secret in (key, dead, limited):
        parts = (secret[:-6], secret[::-1], secret.swapcase())
        assert not any(part in written for part in parts)


@pytest.mark.slow
def test_a_run_without_keys_names_every_check_that_it_could_not_make(whole_run):
    results = whole_run.report.results

    assert {result.check for result in results} >= {check.name for check in CHECKS}
    left_out = {result.check: result.skipped for result in results if result.caller == NOBODY}
    assert left_out["since-is-strict"] == "no key that may read entries was given"
    assert left_out["a-request-is-taken"] == "storing was not allowed"


def test_a_run_without_keys_names_what_it_never_saw(running, started_at):
    report = run(running.app, now=started_at, options=Options(max_examples=0, decisions=False))

    assert report.unseen == (
        "GET /sources with a key: nobody in this run could ask for it",
        "GET /entries: every request was refused (401)",
        "GET /diffs: every request was refused (401)",
    )


def test_what_no_key_may_read_is_named_with_the_key(broken, running, started_at):
    def answered(reply):
        if reply.asked.path in ("/api/v1/entries", "/api/v1/diffs") and reply.status == 200:
            message = "A scope is missing."
            reply.status = 403
            reply.json = {"error": message, "code": "insufficient_scope", "message": message}

    options = Options(max_examples=0, decisions=False)
    app = broken(answered=answered)
    report = run(app, [running.keys["free"]], now=started_at, options=options)

    assert [line.partition(":")[0] for line in report.unseen] == ["GET /entries", "GET /diffs"]
    assert "key 1 (no entries): this key may read neither entries nor diffs" in report.left_out


@pytest.mark.slow
def test_a_run_asks_for_no_source_unless_that_is_allowed(whole_run):
    assert ("POST", "/api/v1/sources/request") not in whole_run.sent


def test_all_checks_that_ask_for_a_source_can_be_made_within_the_limit(site, started_at):
    names = frozenset(check.name for check in CHECKS if check.audience is Audience.WRITER)
    options = Options(only=names, allow_writes=True, max_examples=0)
    with copied(site) as url, open_service(url) as app:
        report = run(app, now=started_at, options=options)

    assert {result.check: result.outcome for result in report.results} == dict.fromkeys(
        names, "passed"
    )


@pytest.mark.slow
def test_generated_requests_keep_the_pace_of_the_run(whole_run):
    assert "contract" in {result.group for result in whole_run.report.results}
    assert whole_run.turns >= whole_run.report.requests


ANYTHING = {
    "openapi": "3.0.3",
    "info": {"title": "Acme", "version": "1"},
    "paths": {
        "/": {
            "get": {
                "parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}],
                "responses": {"200": {"description": "Anything."}},
            }
        }
    },
}


def test_a_slow_machine_of_the_tester_is_no_finding(monkeypatch):
    hours = count(step=3_600.0)
    monkeypatch.setattr(time, "perf_counter", lambda: next(hours))
    listener = Listener(api="", keys=(), feed_addresses=(), contract=ANYTHING)
    options = FuzzingOptions(max_examples=10)
    site = servers.Listener(Anything)
    url = site.url

    results = list(fuzz(ANYTHING, url, url, PUBLIC, options, listener, Pace(None)))
    site.close()

    assert sum(result.tried for result in results) > 0
    assert [
        result.faults for result in results if result.check == "every-request-is-answered"
    ] == []


class Anything(Handler):
    """Answers every request alike."""

    def do_GET(self):
        self.respond(200)

    do_POST = do_PUT = do_PATCH = do_DELETE = do_TRACE = do_OPTIONS = do_HEAD = do_QUERY = do_GET


def written_on(path, body):
    """Answers of one path leave with another body."""

    def answered(reply):
        if reply.asked.path == path:
            reply.body = body

    return answered


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"paths": {}}', "only OpenAPI 3.0 is read"),
        (b'{"openapi": "3.0.3", "paths": []}', "paths"),
        (b'{"openapi": "3.0.3", "paths": {"/a": {"$ref": "#/b"}}}', "#/b leads nowhere"),
    ],
)
def test_a_contract_that_cannot_be_held_against_anything_is_told(broken, started_at, body, said):
    app = broken(answered=written_on("/openapi.json", body))

    with pytest.raises(UnreadableContract, match=said):
        run(app, now=started_at)


def test_a_site_without_a_contract_is_another_site(broken, started_at):
    app = broken(answered=written_on("/openapi.json", b"<p>"))

    with pytest.raises(NoContract, match="no OpenAPI document"):
        run(app, now=started_at)


@pytest.mark.parametrize(
    ("path", "check"),
    [
        ("/openapi.yaml", "both-spellings-of-the-contract-are-one"),
        ("/api/v1/latest", "texts-are-plain"),
    ],
)
@pytest.mark.parametrize("body", [b"[" * 100_000, b"[" * 900 + b"]" * 900, b"a: [\n\t{"])
def test_an_answer_that_cannot_be_read_is_a_fault(broken, started_at, path, check, body):
    app = broken(answered=written_on(path, body))
    names = frozenset({check, "every-body-is-json", "every-answer-is-as-promised"})

    report = run(app, now=started_at, options=Options(only=names))

    assert report.failed


def test_what_all_answers_promise_is_skipped_where_the_contract_cannot_be_compiled(
    running, started_at
):
    contract = load_contract()
    del contract["paths"]["/latest"]["get"]["summary"]
    options = Options(only=frozenset({"sample-is-stable", "every-answer-is-as-promised"}))
    report = run(running.app, now=started_at, options=options, contract=contract)

    assert {result.check: result.outcome for result in report.results} == {
        "sample-is-stable": "passed",
        "every-answer-is-as-promised": "skipped",
    }


def test_a_key_that_may_read_entries_shows_nothing_of_one_that_may_not(running, started_at):
    options = Options(only=frozenset({"entries-need-their-scope"}))
    report = run(running.app, [running.keys["free"]], now=started_at, options=options)

    assert [result.outcome for result in report.results] == ["skipped"]


def test_a_plan_may_have_the_whole_of_a_small_catalog(broken, running, started_at):
    def answered(reply):
        if reply.asked.path == "/api/v1/sources" and reply.status == 200:
            reply.json = {**reply.json, "total": min(reply.json["total"], 1)}

    options = Options(only=frozenset({"selected-gives-the-sources-of-the-key"}))
    keys = [running.keys["free"]]
    report = run(broken(answered=answered), keys, now=started_at, options=options)

    assert [(result.outcome, result.faults) for result in report.results] == [("passed", ())]


def nothing_in_the_sample(reply):
    if reply.asked.path == "/api/v1/sources" and "x-api-key" not in reply.asked.headers:
        reply.json = {**reply.json, "items": []}


def nothing_in_the_rss_feed(reply):
    if reply.asked.path == "/rss/updates.xml":
        reply.body = re.sub(rb"(?s)<item>.*</item>", b"", reply.body)


def nothing_of_a_vendor(reply):
    if reply.asked.path == "/api/v1/sources" and "vendor=" in reply.asked.query:
        reply.json = {"total": 0, "limit": 100, "offset": 0, "items": []}


@pytest.mark.parametrize(
    ("answered", "check"),
    [
        (nothing_in_the_sample, "sample-of-at-most-five"),
        (nothing_in_the_rss_feed, "rss-items-are-whole"),
        (nothing_of_a_vendor, "entries-inherit-vendor-and-tags"),
    ],
)
def test_nothing_where_there_is_something_is_a_fault(broken, running, started_at, answered, check):
    options = Options(only=frozenset({check}))
    app = broken(answered=answered)
    report = run(app, [running.keys["free"]], now=started_at, options=options)

    assert [result.outcome for result in report.results] == ["failed"]


def test_no_two_checks_share_a_name():
    names = [check.name for check in (*CHECKS, *RULES)]

    assert len(set(names)) == len(names)
