"""GET /deadlines in the formats of standards, checked by schemas written from their texts."""

from datetime import date, timedelta

import pytest
from jsonschema_rs import validate

from handlers.api.end_documents import CLE_SCHEMA, OPENEOX_SCHEMA
from openapi.vocabulary import DeadlineKind
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.entries.deadline_history import DeadlineRecord

TIME = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"}
PURL = {"type": "string", "pattern": "^pkg:"}
VERSIONS = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "minProperties": 1,
        "additionalProperties": False,
        "properties": {
            "version": {"type": "string"},
            "range": {"type": "string", "pattern": "^vers:[a-z]+/"},
        },
    },
}
CLE = {  # ECMA-428, first edition of December 2025: the documents and the events used here
    "type": "object",
    "required": ["$schema", "identifier", "updatedAt", "events"],
    "additionalProperties": False,
    "properties": {
        "$schema": {"const": CLE_SCHEMA},
        "identifier": {"anyOf": [PURL, {"type": "array", "items": PURL}]},
        "updatedAt": TIME,
        "definitions": {"properties": {"support": {"items": {"required": ["id", "description"]}}}},
        "events": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "type", "effective", "published"],
                "properties": {"effective": TIME, "published": TIME, "id": {"type": "integer"}},
                "oneOf": [
                    {
                        "required": ["versions", "supportId"],
                        "properties": {"type": {"const": "endOfSupport"}, "versions": VERSIONS},
                    },
                    {
                        "required": ["versions"],
                        "properties": {
                            "type": {"enum": ["endOfLife", "endOfMarketing"]},
                            "versions": VERSIONS,
                            "supportId": False,
                        },
                    },
                    {
                        "required": ["eventId"],
                        "properties": {"type": {"const": "withdrawn"}, "versions": False},
                    },
                ],
            },
        },
    },
}
STATED = {"anyOf": [TIME, {"const": "tba"}]}
OPENEOX = {  # OpenEoX Core 1.0, committee draft of 13 July 2026, in our shell
    "type": "array",
    "items": {
        "type": "object",
        "required": ["vendor_name", "product_name", "product_version", "core"],
        "properties": {
            "core": {
                "type": "object",
                "required": [
                    *("$schema", "end_of_life", "end_of_security_support", "last_updated")
                ],
                "additionalProperties": False,
                "properties": {
                    "$schema": {"const": OPENEOX_SCHEMA},
                    "end_of_life": STATED,
                    "end_of_security_support": STATED,
                    "end_of_sales": STATED,
                    "last_updated": TIME,
                },
            }
        },
    },
}
PART = "pkg:github/acme/compute"
DAY = date(2027, 3, 1)


def end(kind, day=DAY, versions="1.5", subject="Compute 1.5"):
    text = f"{subject} {kind} on {day}."
    return DeadlineRecord(DeadlineKind(kind), day, day, text, subject=subject, versions=versions)


@pytest.fixture
def ask(client, database, publish):
    """Ask for the deadlines of a part of which one entry states ends: ``ask(ends, "cle")``."""

    def ask(ends, format_, query=f"purl={PART}"):
        with database.write() as session:
            save_packages(session, [SeenPackage("acme.compute", PART, "here")])
        publish("acme.compute", deadlines=ends, news=timedelta(hours=1))
        return client.get(f"/api/v1/deadlines?format={format_}&{query}")

    return ask


ENDS = (
    end("end_of_support"),
    end("end_of_life", versions="<=1.4", subject="Compute 1.4 and older"),
    end("end_of_sale", date(2026, 12, 1)),
    end("removal", versions=None, subject="Old console"),
)


def test_a_reader_of_cle_finds_the_days_that_deadlines_have(ask, client):
    document = ask(ENDS, "cle").json()

    validate(CLE, document)
    assert document["identifier"] == PART
    ids = [event["id"] for event in document["events"]]
    assert ids == sorted(ids, reverse=True)
    told = {
        ("endOfSupport", "2027-03-01T00:00:00Z", "1.5"),
        ("endOfLife", "2027-03-01T00:00:00Z", "vers:github/<=1.4"),
        ("endOfMarketing", "2026-12-01T00:00:00Z", "1.5"),
    }
    assert told == {
        (event["type"], event["effective"], next(iter(event["versions"][0].values())))
        for event in document["events"]
    }
    days = {item["to"] for item in client.get("/api/v1/deadlines").json()["items"]}
    assert {day[:10] for _, day, _ in told} <= days


def test_a_day_that_moved_is_withdrawn_and_the_ids_of_events_stay(ask, publish, client):
    (first,) = ask(ENDS[:1], "cle").json()["events"]
    moved = end("end_of_support", date(2027, 6, 1), subject="The day moved: Compute 1.5")
    publish("acme.compute", deadlines=(moved,), moved=timedelta(minutes=1))

    document = client.get(f"/api/v1/deadlines?format=cle&purl={PART}").json()

    validate(CLE, document)
    assert {event["type"] for event in document["events"]} == {"endOfSupport", "withdrawn"}
    assert first in document["events"]
    assert [it["eventId"] for it in document["events"] if "eventId" in it] == [first["id"]]
    shells = client.get(f"/api/v1/deadlines?format=openeox&purl={PART}").json()
    ends = {it["core"]["end_of_security_support"] for it in shells}
    assert ends == {"2027-06-01T00:00:00Z"}


def test_openeox_has_each_version_with_what_is_not_known_to_be_announced(ask):
    shells = ask(ENDS, "openeox").json()

    validate(OPENEOX, shells)
    assert [(it["product_version"], it["core"]["end_of_life"]) for it in shells] == [
        ("1.5", "tba"),
        ("<=1.4", "2027-03-01T00:00:00Z"),
    ]


def test_a_source_has_documents_of_its_own_and_cle_needs_its_package(ask, client, new_key):
    key, own = new_key(), ask(ENDS, "cle").json()

    def of(source, format_="cle"):
        query = f"/api/v1/deadlines?format={format_}&sources={source}"
        return client.get(query, headers=key)

    assert of("acme.compute").json()["events"] == own["events"]
    assert [of("acme.mail", it).status_code for it in ("cle", "openeox")] == [404, 200]
    assert of("acme.compute,nope.nope").json()["error"] == "The catalog has no source nope.nope."


def test_deadlines_are_a_table_for_spreadsheets(ask):
    response = ask(ENDS[:1], "csv")

    header, row = response.text.splitlines()
    assert header.startswith("subject,versions,kind,from,to,days,successor,text,source")
    assert row.startswith("Compute 1.5,1.5,end_of_support,2027-03-01,2027-03-01,100,,")


@pytest.mark.parametrize(
    ("format_", "query", "status"),
    [
        ("cle", "", 404),
        ("openeox", "purl=pkg:npm/unknown", 404),
        ("xml", "", 400),
        ("json", "ends=end", 400),
        ("cle", "stack=1", 401),
        ("json", "stack=1", 401),
    ],
)
def test_what_no_document_can_be_made_of_is_refused(ask, format_, query, status):
    assert ask(ENDS, format_, query).status_code == status


@pytest.mark.parametrize(
    ("query", "kinds"),
    [
        ("ends=removal,end_of_sale", {"removal", "end_of_sale"}),
        (f"purl={PART}", {"end_of_support", "end_of_life", "end_of_sale", "removal"}),
        (f"purl={PART}@1.6", {"removal"}),
        ("purl=pkg:npm/unknown", set()),
    ],
)
def test_deadlines_are_narrowed_to_kinds_and_to_the_versions_that_run(ask, query, kinds):
    assert {item["kind"] for item in ask(ENDS, "json", query).json()["items"]} == kinds
