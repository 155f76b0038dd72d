"""The suite on the service as it is, and on services with one fault each."""

import json
import re
from datetime import timedelta

import pytest

from conformance.checks import CHECKS
from conformance.checks.universal import RULES
from conformance.suite import Options, run
from openapi.contract import load_contract


@pytest.fixture
def check(running, started_at):
    """Run single checks on an application; returns what failed."""

    def check(app, *names, keys=("free",), contract=None):
        options = Options(only=frozenset(names), max_examples=0)
        chosen = [running.keys[each] for each in keys]
        report = run(app, chosen, now=started_at, options=options, contract=contract)
        assert report.results
        return {each.check for each in report.failed}

    return check


def test_the_service_keeps_every_sentence_for_every_caller(running, started_at):
    options = Options(max_examples=0)
    keys = [running.keys[each] for each in ("free", "starter", "diffs")]
    report = run(running.app, keys, now=started_at, options=options)

    assert [(each.check, each.caller, each.faults) for each in report.failed] == []
    assert {each.caller for each in report.results} == {
        "no key",
        "key 1 (free)",
        "key 2 (starter)",
        "key 3 (all, diffs)",
    }


def test_the_service_answers_generated_requests_as_the_contract_says(running, started_at):
    options = Options(max_examples=2, decisions=False)
    report = run(running.app, [running.keys["diffs"]], now=started_at, options=options)
    generated = [each for each in report.results if each.group == "contract"]

    assert [(each.check, each.caller, each.faults) for each in report.failed] == []
    assert {each.operation for each in generated} >= {"GET /sources", "GET /entries", "GET /diffs"}
    assert {"response-schema-conformance", "negative-data-rejection", "ignored-auth"} <= {
        each.check for each in generated
    }


def test_requests_are_stored_only_where_that_is_allowed(broken, started_at):
    asked = []
    app = broken(asked=lambda request: asked.append((request.method, request.path)))

    run(app, now=started_at, options=Options(max_examples=1))
    assert ("POST", "/api/v1/sources/request") not in asked

    names = {"a-request-is-taken-once", "a-wrong-body-is-refused", "too-many-requests-are-refused"}
    options = Options(only=frozenset(names), allow_writes=True, max_examples=0)
    report = run(app, now=started_at, options=options)
    assert {each.check: each.outcome for each in report.results} == dict.fromkeys(names, "passed")


def test_a_run_without_time_skips_the_rest(running, started_at):
    options = Options(longest=timedelta(0), max_examples=1)
    report = run(running.app, now=started_at, options=options)

    assert {each.outcome for each in report.results} == {"skipped"}


# Faults: what a broken service does otherwise, and the check that sees it.


def edit(change, *, path="", status=200):
    """Change the JSON of the answers of one path with one status."""

    def answered(reply):
        if reply.asked.path.endswith(path) and reply.status == status and reply.body:
            body = reply.json
            change(body)
            reply.json = body

    return {"answered": answered}


def header(name, value, *, path="", status=200):
    """Change a header of the answers of one path with one status; None takes it away."""

    def answered(reply):
        if reply.asked.path.endswith(path) and reply.status == status:
            reply.headers.pop(name, None)
            if value is not None:
                reply.headers[name] = value

    return {"answered": answered}


def query(pattern, replacement, *, path):
    """Change what one path is asked."""

    def asked(request):
        if request.path.endswith(path):
            request.query = re.sub(pattern, replacement, request.query)

    return {"asked": asked}


def without_key(request):
    """Take a key that is not valid for none."""
    if request.path.endswith("/sources"):
        for name in ("x-api-key", "authorization"):
            if len(request.headers.get(name, "")) <= 60:
                request.headers.pop(name, None)


def mixed_up():
    """Answer whoever asks second as the one who asked first and is not answered yet."""
    inside = []

    def asked(request):
        inside.append(request.headers)
        request.headers = inside[0]

    return {"asked": asked, "answered": lambda _: inside.pop(0)}


def as_html(reply):
    if reply.status == 404:
        reply.body, reply.headers["content-type"] = b"<h1>Not Found</h1>", "text/html"


def another_code(reply):
    if reply.status == 403:
        reply.json = {**reply.json, "code": "forbidden"}


def sixth_source(body):
    body["items"] = [*body["items"], {**body["items"][0], "slug": "acme.sixth"}]


def a_feed_address(body):
    for item in body["items"]:
        item["raw"]["link"] = "https://feeds.acme.example/compute.xml"


def tags(body):
    for item in body["items"]:
        item["tags"] = []


def one_more(body):
    body["total"] += 1


def a_larger_page(body):
    body["limit"] += 1


def backwards(body):
    body["items"].reverse()


def nothing_important(body):
    for item in body["items"]:
        item["importance"]["categories"] = []


def other_words(body):
    for item in body["items"]:
        for each in item["importance"]["evidence"]:
            each["text"] = "removal"


def raw(body):
    for item in body["items"]:
        item["raw"] = {}


def another_error(body):
    body["error"] = "Something else."


def no_code(body):
    del body["code"]


def a_trace(body):
    body["trace"] = "Traceback"


def cut_rss(reply):
    if reply.asked.path.endswith(".xml"):
        reply.body = reply.body[:-10]


def rss_with_source(reply):
    if reply.asked.path.endswith(".xml"):
        source = b'<source url="https://feeds.acme.example/a.xml">Acme</source></item>'
        reply.body = reply.body.replace(b"</item>", source)


def full_304(reply):
    if reply.status == 304:
        reply.body = b"{}"


def same_tag(reply):
    if reply.status == 200:
        reply.headers["etag"] = '"constant"'


def failing(reply):
    if "offset=100000" in reply.asked.query:
        reply.status = 500


def no_slots(reply):
    if reply.status == 403 and reply.json["code"] == "plan_limit_exceeded":
        reply.json = {**reply.json, "code": "source_not_selected"}


def less_contract(reply):
    if reply.asked.path == "/openapi.json":
        contract = json.loads(reply.body)
        del contract["paths"]["/latest"]["get"]
        reply.json = contract


FAULTS = {
    "no-feed-address": (edit(a_feed_address, path="/entries"), "entries-come-newest-first"),
    "error-equals-message": (edit(another_error, status=400), "limit-is-1-to-100"),
    "every-no-is-an-error-object": (edit(a_trace, status=401), "no-key-is-refused"),
    "the-code-fits-the-status": (
        {"answered": another_code},
        "an-unselected-source-is-refused-by-name",
    ),
    "every-body-is-json": ({"answered": as_html}, "unknown-paths-are-404"),
    "no-server-error": ({"answered": failing}, "offset-is-at-least-0"),
    "sample-of-at-most-five": (edit(sixth_source, path="/sources"), ""),
    "sample-says-that-it-is-one": (edit(lambda body: body.pop("agent", 0), path="/sources"), ""),
    "sample-items-have-basic-fields-only": (edit(tags, path="/sources"), ""),
    "sample-is-not-filtered": (query("^q=.*", "limit=0", path="/sources"), ""),
    "catalog-page-says-what-it-is": (edit(a_larger_page, path="/sources"), ""),
    "catalog-pages-follow-limit-and-offset": (query("offset=3", "offset=4", path="/sources"), ""),
    "slugs-are-unique-and-pages-do-not-overlap": (edit(backwards, path="/sources"), ""),
    "filters-give-only-what-they-name": (query("vendor=[a-z]+", "offset=0", path="/sources"), ""),
    "search-finds-names-and-vendors-in-any-case": (query("q=[A-Z]+", "q=x", path="/sources"), ""),
    "selected-gives-the-sources-of-the-key": (query("selected=1&?", "", path="/sources"), ""),
    "limit-is-1-to-100": (query("limit=101", "limit=100", path="/latest"), ""),
    "offset-is-at-least-0": (query("offset=-1", "offset=1", path="/latest"), ""),
    "unknown-parameters-are-refused": (query("sinse=[^&]*", "", path="/latest"), ""),
    "repeated-parameters-are-refused": (query("limit=1&limit=2", "limit=2", path="/latest"), ""),
    "no-key-is-refused": (edit(no_code, status=401), ""),
    "wrong-keys-are-refused-on-public-operations": ({"asked": without_key}, ""),
    "every-401-is-the-same": (header("www-authenticate", None, status=401), ""),
    "entries-come-newest-first": (edit(backwards, path="/entries"), ""),
    "entries-page-says-what-it-is": (edit(one_more, path="/entries"), "entries-are-of-the-sources"),
    "pages-of-entries-do-not-overlap": (query("offset=7", "offset=6", path="/entries"), ""),
    "since-is-strict": (query(r"since=[^&]*", "since=2001-01-01T00:00:00Z", path="/entries"), ""),
    "since-needs-an-offset": (query("since=2026-01-01$", "limit=5", path="/entries"), ""),
    "an-unselected-source-is-refused-by-name": ({"answered": another_code}, ""),
    "more-sources-than-slots-are-refused": ({"answered": no_slots}, ""),
    "important-entries-say-why": (edit(nothing_important, path="/important"), ""),
    "evidence-is-word-for-word": (edit(other_words, path="/important"), ""),
    "feeds-are-cut-for-the-public": (edit(raw, path="/latest"), ""),
    "future-entries-wait": (query("^limit=100$", "limit=100&future=1", path="/latest"), ""),
    "rss-is-well-formed": ({"answered": cut_rss}, ""),
    "rss-shows-no-feed-address": ({"answered": rss_with_source}, ""),
    "an-unchanged-answer-is-304": ({"answered": full_304}, ""),
    "the-etag-follows-the-body": ({"answered": same_tag}, ""),
    "cache-control-keeps-keys-private": (header("cache-control", "public, max-age=60"), ""),
    "vary-names-what-decides": (header("vary", "Authorization"), ""),
    "other-methods-are-405": (header("allow", None, status=405), ""),
    "request-ids-are-unique": (header("x-request-id", "same"), ""),
    "other-origins-may-read-without-cookies": (
        header("access-control-allow-credentials", "true"),
        "",
    ),
    "answers-are-not-sniffed": (header("x-content-type-options", None), ""),
    "callers-are-not-mixed-up": (mixed_up(), ""),
    "the-contract-breaks-nobody": ({"answered": less_contract}, ""),
    "the-contract-has-every-operation": ({"answered": less_contract}, ""),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_found_by_its_check(name, broken, running, check):
    fault, besides = FAULTS[name]
    others = {each.name for each in CHECKS if besides and each.name.startswith(besides)}
    names = (name, *others)

    assert name not in check(running.app, *names, contract=load_contract())
    assert name in check(broken(**fault), *names, contract=load_contract())


def test_no_two_checks_share_a_name():
    names = [each.name for each in (*CHECKS, *RULES)]

    assert len(set(names)) == len(names)
