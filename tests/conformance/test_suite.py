"""The suite on the service as it is, and on services that are not as they should be."""

import re
from xml.etree import ElementTree

import pytest
from faults.fault import Fault
from runs import BASE_PATH, CHECKS, conformance_of, faults_found, listening, opened, probes_of
from specimen.serving import serve
from specimen.site import copied, fill_site, open_service, the_time

from conformance.rules import Watch
from openapi.contract import load_contract
from storage.bulk.writer import write_snapshot
from storage.engine.database import open_database

WRITING_FIRST = sorted(CHECKS, key=lambda name: "writer" not in CHECKS[name].__annotations__)


def test_the_service_keeps_every_sentence_for_every_caller(site, started_at):
    contract = load_contract()
    watch = Watch(api=f"http://localhost{BASE_PATH}", contract=contract, unnamed_in=contract)
    keys = ("free", "starter", "diffs", "diffs only")
    with copied(site) as url, open_service(url) as app, opened(app) as opened_site:
        probes = probes_of(opened_site, site, keys, started_at)
        opened_site.listener = watch.hear
        failed = [name for name in WRITING_FIRST if faults_found(CHECKS[name], probes)]
        for probe in probes:
            probe.listings.clear()  # health follows the time: what fails twice counts, as in a run
        found = {name: faults_found(CHECKS[name], probes) for name in failed}

    assert {name: faults for name, faults in found.items() if faults} == {}
    assert watch.take_untold() == []
    assert [probe.caller.name for probe in probes] == [
        "no key",
        "key 1 (free)",
        "key 2 (starter)",
        "key 3 (all, diffs)",
        "key 4 (no entries, diffs)",
    ]


@pytest.fixture(scope="module")
def served(tmp_path_factory, new_database_url):
    """The specimen as a process of its own: its keys and its address."""
    site = fill_site(new_database_url(), now=the_time())
    folder = tmp_path_factory.mktemp("served")
    database = open_database(site.url)
    write_snapshot(database, folder, now=the_time())
    database.close()
    with serve(site.url, folder, {"CHANGEWIRE_BULK_FOLDER": str(folder)}) as url:
        yield site, url


@pytest.mark.slow
def test_a_served_deployment_conforms_generated_and_raw_requests_included(served, tmp_path):
    site, url = served
    keys = [word for name in ("free", "diffs") for word in ("--api-key", site.keys[name])]
    junit = tmp_path / "junit.xml"
    options = ["--session", site.session, "--max-examples", "1", "--junit", str(junit)]

    report = conformance_of(url, *keys, *options)

    assert (report["status"], report["findings"], report["verdict"]) == (0, [], "conforms")
    passed = [one["check"] for one in report["results"] if one["outcome"] == "passed"]
    assert sum(name.startswith("a_raw_request") for name in passed) == 12
    assert {
        "an_operation_answers_as_the_contract_says[key 2 (all, diffs)][GET /diffs]",
        "since_needs_an_offset[key 1 (free)]",
        "a_session_may_ask[no key]",
    } <= set(passed)
    cases = list(ElementTree.parse(junit).getroot().iter("testcase"))
    assert len(cases) == len(report["results"])
    assert not any(key in report["text"] + junit.read_text() for key in site.keys.values())


def test_a_run_without_keys_names_what_it_never_saw_and_every_check_it_skipped(broken):
    sent = []
    app = broken(asked=lambda request: sent.append((request.method, request.path)))
    with listening(app) as url:
        report = conformance_of(
            url, "--max-examples", "0", "--only-specification", "--require-evidence"
        )

    assert (report["status"], report["findings"]) == (3, [])
    assert report["unseen"] == [
        "GET /sources with a key: nobody in this run could ask for it",
        "GET /entries: every request was refused (401)",
        "GET /diffs: every request was refused (401)",
    ]
    skipped = {one["check"]: one["words"] for one in report["results"]}
    assert skipped["since_needs_an_offset[nobody]"] == "no key that may read entries was given"
    assert skipped["a_request_is_taken[nobody]"] == "storing was not allowed (--allow-writes)"
    assert not any(one["origin"].startswith("docs/") for one in report["results"])
    assert {path for method, path in sent if method == "POST"} <= {
        "/api/v1/sources/request",  # raw requests, which are refused
        *("/api/v1/sources", "/api/v1/entries", "/api/v1/diffs"),
        *("/api/v1/important", "/api/v1/latest"),
    }


def test_no_key_that_was_sent_is_written_down_nor_what_was_made_of_it(broken, running):
    def answered(reply):
        if reply.status in (401, 402, 403) and reply.body:
            reply.json = {**reply.json, "error": "More."}
            reply.status = 200 if reply.asked.path.endswith("/diffs") else reply.status

    key, dead, limited = (running.keys[name] for name in ("free", "starter", "all"))
    options = ["--api-key", key, "--dead-key", dead, "--limited-key", f"{limited}=/diffs:402"]
    options += ["--max-examples", "0", "--", "-k", "limited_keys or dead_keys or wrong_keys"]
    with listening(broken(answered=answered)) as url:
        report = conformance_of(url, *options)

    assert report["status"] == 1
    assert "$CHANGEWIRE_API_KEY" in report["text"]
    for secret in (key, dead, limited):
        parts = (secret[:-6], secret[::-1], secret.swapcase())
        assert not any(part in report["text"] for part in parts)


def test_a_finding_quotes_its_sentence_with_the_request_and_the_response(broken):
    def answered(reply):
        if reply.asked.path == "/api/v1/latest" and reply.status == 200 and reply.body:
            reply.json = {**reply.json, "limit": 7, "wordCount": 5}

    with listening(broken(answered=answered)) as url:
        options = ["--strict", "--max-examples", "0"]
        report = conformance_of(url, *options, "--", "-k", "feeds_are_cut_for_the_public")

    check, rule = report["findings"]
    assert (check["check"], check["origin"]) == (
        "feeds_are_cut_for_the_public[no key]", "docs/decisions/0006",
    )  # fmt: skip
    assert check["words"].startswith(
        "GET does not have the limit 50 by default\n\n    curl -i http"
    )
    assert "nothing-unnamed-is-sent: " in rule["words"]


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
        (nothing_in_the_sample, "sample_is_of_at_most_five_sources"),
        (nothing_in_the_rss_feed, "rss_items_are_whole_and_newest_first"),
        (nothing_of_a_vendor, "entries_inherit_vendor_and_tags"),
    ],
)
def test_nothing_where_there_is_something_is_a_fault(running, site, started_at, answered, check):
    with opened(Fault(answered=answered).around(running.app)) as app:
        assert faults_found(CHECKS[check], probes_of(app, site, ("free",), started_at))
