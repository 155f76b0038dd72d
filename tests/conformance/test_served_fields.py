"""Every field that the contract names is in a response of the service: requests are sent to see."""

from itertools import chain

from specimen.rows import PACKAGES, SLUGS
from specimen.site import copied, open_service
from starlette.testclient import TestClient

from openapi.contract import load_contract, load_operations, resolve

CONTRACT = load_contract()
PURL = PACKAGES[0].purl
REQUESTS = {  # what an operation needs to be sent; other GET operations are asked without
    "list_entries": [{"params": {"sources": SLUGS[0], "limit": 100}}],
    "list_changes": [{"params": {"sources": SLUGS[0]}}],
    "get_diffs": [{"params": {"source": SLUGS[0]}}],
    "list_deadlines": [
        {"params": {"format": form, "purl": PURL}} for form in ("json", "cle", "openeox")
    ],
    "list_upgrades": [{"params": {"purl": purl}} for purl in (PURL, "pkg:npm/none")],
    "check_stack": [{"json": {"components": [f"{PURL}@1.0", "pkg:npm/none@1.0"]}}],
    "request_source": [{"json": {"url": "https://unheard.example/changelog"}}],
}
ELSEWHERE = {  # fields of states that the specimen is not in, by the tests that see them
    "tests/ingest/diffs": ["Change.block"],
    "tests/handlers/api/test_end_documents.py": [
        *(f"CleEvent.{field}" for field in ("supportId", "eventId", "reason", "versions")),
        *(f"CleEvent.{field}" for field in ("references", "description")),
        *("CleEvent.versions[].version", "CleEvent.versions[].range"),
        "OpenEoxShell.core.end_of_sales",
    ],
    "tests/handlers/api/test_part_lookups.py": ["CoveredPart.on_demand", "CoveredPart.seen_in"],
    "tests/handlers/api/test_upgrades.py": ["CoveredPart.ends"],
    "tests/handlers/api/test_stacks.py": ["StackReport.saved"],
    "tests/handlers/api/test_webhooks.py": [
        *(f"Webhook.{field}" for field in ("filter", "disabledAt", "disabledReason")),
        *(f"Delivery.{field}" for field in ("nextAttemptAt", "source", "title")),
    ],
}


def look(schema, values, name, found):
    """Note which optional fields of a schema a value has: ``{"Source.tier": True}``."""
    name = schema.get("$ref", name).rpartition("/")[2]
    schema = resolve(CONTRACT, schema)
    for shape in chain.from_iterable(schema.get(word, ()) for word in ("oneOf", "anyOf", "allOf")):
        look(shape, values, name, found)
    if "items" in schema:
        look(schema["items"], [*chain.from_iterable(values)], f"{name}[]", found)
    for field, node in schema.get("properties", {}).items():
        label = f"{name}.{field}"
        inside = [each[field] for each in values if isinstance(each, dict) and field in each]
        if inside or label not in found:
            found[label] = bool(inside) or found.get(label, field in schema.get("required", ()))
            look(node, [each for each in inside if each is not None], label, found)


def test_every_field_of_the_contract_is_sent(site):
    found, key = {}, {"X-Api-Key": site.keys["diffs"]}
    with (
        copied(site) as url,
        open_service(url) as app,
        TestClient(app, base_url="http://localhost/api/v1/", headers=key) as client,
    ):
        own = client.get("webhooks").json()["items"][0]["id"]
        requests = REQUESTS | {"list_deliveries": [{"params": {"webhook": own}}]}
        for operation in load_operations():
            success = min(operation.responses)
            schema = operation.responses[success].content.get("application/json")
            nothing = [{}] if operation.method == "GET" and schema else []
            for sent in requests.get(operation.operation_id, nothing):
                answer = client.request(operation.method, operation.path[1:], **sent)
                assert answer.is_success, f"{operation.path}: {answer.text}; see REQUESTS here"
                look(schema, [answer.json()], operation.operation_id, found)

    unsent = {field for field, is_sent in found.items() if not is_sent}
    assert unsent == {*chain(*ELSEWHERE.values())}, (
        "fields of openapi/openapi.yaml that no response has"
    )
