"""Two major versions side by side: each has its own document, validators, notices and handlers."""

import pytest
import yaml
from runs import conformance_of, listening
from specimen.site import SLUGS, copied, open_service
from starlette.testclient import TestClient

from handlers.majors import major_of
from openapi.contract import load_contract


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


def test_each_has_a_document_of_its_own(get):
    documents = [get(path).json() for path in ("/openapi.json", "/v2/openapi.json")]

    assert documents == [first(), second()]
    assert get("/v2/openapi.yaml").status_code == 200
    assert get("/v3/openapi.json").status_code == 404


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
