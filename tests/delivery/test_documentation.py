"""docs/webhooks.md: its examples run, its schema fits what is sent, its numbers are ours."""

import json
import os
import re
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

import jsonschema
import pytest
from specimen.programs import needed

from delivery.events import body_of
from delivery.webhook_delivery import signed_headers
from openapi.contract import load_contract
from storage.catalog.stack_upgrades import PartUpgrade
from storage.delivery.deliveries import DueDelivery
from storage.models.webhooks import EventType
from storage.people.credentials import new_signing_secret

DOCS = Path(__file__).parents[2] / "docs"
MANUAL = (DOCS / "webhooks.md").read_text()
SCHEMA = json.loads((DOCS / "webhook-event.schema.json").read_text())
NODE = "\nconst [secret, headers, now] = JSON.parse(process.argv[1]);\n" + (
    'const body = require("node:fs").readFileSync(0);\n'
    "console.log(JSON.stringify(verify(secret, headers, body, now)));\n"
)


def example(language):
    """Return the last example in a language."""
    *_, code = re.findall(rf"```{language}\n(.*?)```", MANUAL, re.DOTALL)
    return code


def example_of_upgrades():
    """Return what the manual shows of a stack."""
    (shown,) = re.findall(r"^\"upgrades\": .*$", MANUAL, re.MULTILINE)
    return json.loads(f"{{{shown}}}")["upgrades"]


def as_json_schema(schema, contract):
    """Write a schema of the contract (OpenAPI 3.0) as JSON Schema, open to fields that may come."""
    if "$ref" in schema:
        return as_json_schema(contract["components"]["schemas"][schema["$ref"][21:]], contract)
    converted = {k: v for k, v in schema.items() if k not in ("nullable", "additionalProperties")}
    converted = {k: v for k, v in converted.items() if k != "example"}
    if schema.get("nullable"):
        converted["type"] = [schema["type"], "null"]
    if "properties" in schema:
        properties = schema["properties"].items()
        converted["properties"] = {k: as_json_schema(v, contract) for k, v in properties}
    if "items" in schema:
        converted["items"] = as_json_schema(schema["items"], contract)
    return converted


def job(event_type=EventType.PUBLISHED, document=b"{}"):
    now = datetime(2026, 11, 21, 12, tzinfo=UTC)
    return DueDelivery(
        1, "0A1b2C3d4E5f", "", (), "evt_1", event_type, now, now, 0, 0, None, document=document
    )


def message(secret, *, age=0):
    body = b'{"type":"entry.published","text":"\xc3\xa4 \\u2028"}'
    at = datetime.fromtimestamp(time.time() - age, UTC)
    return body, signed_headers([new_signing_secret(), secret], "evt_1", body, at=at)


def test_the_entry_in_the_schema_is_that_of_the_contract():
    contract = load_contract()
    entry = contract["components"]["schemas"]["ChangelogEntry"]

    assert SCHEMA["$defs"]["entry"] == as_json_schema(entry, contract)


def test_the_example_and_what_is_sent_fit_the_schema():
    shown = json.loads(example("json"))
    document = json.dumps(shown["data"]).encode()
    sent = [json.loads(body_of(job(event_type, document))) for event_type in list(EventType)[:3]]
    sent.append(json.loads(body_of(job(EventType.TEST, None))))
    told = example_of_upgrades()
    upgrades = [
        PartUpgrade(it["part"], it["from"], it["to"], it["total"], it["breaking"]) for it in told
    ]
    sent.append(json.loads(body_of(job(EventType.PUBLISHED, document), upgrades)))
    assert sent[-1]["upgrades"] == told

    for event in [shown, *sent]:
        jsonschema.validate(event, SCHEMA, format_checker=jsonschema.FormatChecker())
    assert {event["type"] for event in sent} == set(EventType)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(shown | {"data": {}}, SCHEMA)


def test_the_python_example_takes_a_message_once_and_refuses_others():
    names = {}
    exec(example("python"), names)
    secret = new_signing_secret()
    body, headers = message(secret)

    assert names["receive"](secret, headers, body) == json.loads(body)
    assert names["receive"](secret, headers, body) is None
    with pytest.raises(names["WebhookVerificationError"]):
        names["receive"](secret, headers, body + b" ")


def node(secret, headers, body, now):
    needed("node", "nodejs")
    arguments = json.dumps([secret, headers, now])
    command = ["node", "-e", example("javascript") + NODE, arguments]
    return subprocess.run(command, input=body, capture_output=True, check=False, timeout=60)


def test_the_node_example_takes_ours_and_nothing_else():
    secret = new_signing_secret()
    body, headers = message(secret)
    now = int(headers["webhook-timestamp"])

    taken = node(secret, headers, body, now)

    assert taken.returncode == 0, taken.stderr
    assert json.loads(taken.stdout) == json.loads(body)
    assert b"not ours" in node(secret, headers, body + b" ", now).stderr
    assert b"not ours" in node(new_signing_secret(), headers, body, now).stderr
    assert b"replay window" in node(secret, headers, body, now + 301).stderr


@pytest.mark.parametrize(
    ("age", "changed", "status"), [(0, b"", 0), (0, b" ", 1), (400, b"", 1), (-400, b"", 1)]
)
def test_the_shell_example_takes_ours_and_nothing_else(tmp_path, age, changed, status):
    needed("openssl", "openssl")
    secret = new_signing_secret()
    body, headers = message(secret, age=age)
    (tmp_path / "body").write_bytes(body + changed)
    script = example("sh") + '\nverify "$@"\n'

    ended = subprocess.run(
        ["sh", "-c", script, "sh", secret, *headers.values()],
        cwd=tmp_path,
        capture_output=True,
        check=False,
        timeout=60,
        env={"PATH": os.environ["PATH"]},
    )

    assert (ended.returncode, ended.stderr) == (status, b"")
