"""Two major versions side by side: each has its own document, validators, notices and handlers."""

from datetime import date

import pytest
import yaml
from runs import conformance_of, listening
from specimen.site import SLUGS, copied, open_service
from starlette.testclient import TestClient

from contract_diff import Severity, compare
from handlers.majors import major_of
from openapi.contract import load_contract
from openapi.release import broken_promises
from service.telemetry.metrics import COUNTERS


def first():
    """Version 1 as it is, but /diffs is about to go away."""
    contract = load_contract()
    operation = contract["paths"]["/diffs"]["get"]
    operation |= {"deprecated": True, "x-deprecated-at": "2027-01-01", "x-sunset": "2027-12-31"}
    return contract


def second():
    """A made-up version 2.0.0: diffs do not name the adapter, which breaks consumers."""
    contract = load_contract()
    contract["info"]["version"] = "2.0.0"
    contract["servers"] = [{"url": "/api/v2"}]
    components = contract["components"]
    page = components["schemas"]["DiffPage"]
    del page["properties"]["adapterType"]
    page["required"].remove("adapterType")
    for example in components["responses"]["Diffs"]["content"]["application/json"][
        "examples"
    ].values():
        del example["value"]["adapterType"]
    return contract


@pytest.fixture(scope="module")
def both(site):
    """The service with both versions."""
    majors = (
        major_of(first()),
        major_of(second(), handlers="second_major", document="/v2/openapi"),
    )
    with copied(site) as url, open_service(url, majors) as app:
        yield app


@pytest.fixture
def get(both, site):
    """Ask for an address with a key that may read everything."""
    client = TestClient(both, base_url="http://localhost", raise_server_exceptions=False)
    return lambda path: client.get(path, headers={"X-Api-Key": site.keys["diffs"]})


def test_the_second_version_may_break_what_the_first_promised():
    breaking = [
        change for change in compare(first(), second()) if change.severity is Severity.BREAKING
    ]

    assert {change.kind for change in breaking} >= {"response-property-removed-required"}
    assert broken_promises(first(), second(), today=date(2026, 11, 21)) == []


def test_each_has_a_document_of_its_own(get):
    documents = [get(path).json() for path in ("/openapi.json", "/v2/openapi.json")]

    assert documents == [first(), second()]
    assert get("/v2/openapi.yaml").status_code == 200
    assert get("/v3/openapi.json").status_code == 404


def test_the_catalog_of_apis_names_both_with_their_documents(get):
    linkset = get("/.well-known/api-catalog").json()["linkset"]

    assert {context["anchor"]: context["service-desc"][0]["href"] for context in linkset[1:]} == {
        "http://localhost/api/v1": "http://localhost/openapi.json",
        "http://localhost/api/v2": "http://localhost/v2/openapi.json",
    }


def test_each_answers_by_its_own_contract_and_announces_its_own_end(get):
    old, new = (get(f"/api/v{number}/diffs?source={SLUGS[0]}") for number in (1, 2))

    assert (old.status_code, new.status_code) == (200, 200)
    assert (set(old.json()) - set(new.json()), "adapterType" in new.json()) == (
        {"adapterType"},
        False,
    )
    assert old.headers["sunset"] == "Fri, 31 Dec 2027 00:00:00 GMT"
    assert "deprecation" in old.headers
    assert not {"deprecation", "sunset"} & set(new.headers)


def test_links_and_hints_stay_within_a_version(get):
    assert "http://localhost/api/v2/latest?" in get("/api/v2/latest?limit=1").headers["link"]
    assert "/v2/openapi.json" in get("/api/v2/latest?limit=0").json()["hint"]
    assert get("/api/v2/nothing").json()["code"] == "not_found"


@pytest.mark.parametrize(
    ("path", "label", "status"),
    [
        ("/api/v1/latest", "list_latest", "200"),
        ("/api/v2/latest", "v2 list_latest", "200"),
        ("/api/v2/nothing", "v2 unknown", "404"),
    ],
)
def test_each_is_counted_under_its_own_name(get, path, label, status):
    labels = {"operation": label, "method": "GET", "status": status}
    before = COUNTERS.get_sample_value("changewire_requests_total", labels) or 0
    get(path)

    assert COUNTERS.get_sample_value("changewire_requests_total", labels) == before + 1


@pytest.mark.slow
@pytest.mark.parametrize("api", ["/api/v1", "/api/v2"])
def test_each_conforms_to_its_own_contract(both, site, api):
    with listening(both) as url:
        options = ["--api-key", site.keys["diffs"], "--max-examples", "1", "--", "-k"]
        report = conformance_of(url + api, *options, "/diffs] or contract_has or diffs_are")

    assert [(one["check"], one["words"]) for one in report["findings"]] == []


@pytest.mark.slow
def test_one_does_not_conform_to_the_contract_of_the_other(both, site, tmp_path):
    contract = tmp_path / "contract.yaml"
    contract.write_text(yaml.safe_dump(first() | {"servers": [{"url": "/api/v2"}]}))
    with listening(both) as url:
        options = ["--api-key", site.keys["diffs"], "--max-examples", "0"]
        options += ["--contract", str(contract), "--", "-k", "diffs_are"]
        report = conformance_of(f"{url}/api/v2", *options)

    assert any("every-answer-is-as-promised: " in one["words"] for one in report["findings"])
