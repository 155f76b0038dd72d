"""A Python client that openapi-python-client generates reads the service and its refusals."""

import importlib
import json
import os
import pkgutil
import shutil
import subprocess
import sys
import venv
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from specimen.listener import Handler, Listener

from openapi.contract import load_contract, load_operations, resolve

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
REQUIREMENTS = HERE / "openapi-python-client.txt"
CONFIG = HERE / "openapi_python_client.yaml"
SIXTEEN_HOURS = timedelta(hours=16)
SLUG = {"source": "acme.compute"}
SLUGS = {"sources": ["acme.compute"]}


@pytest.fixture(scope="module")
def generator(tools_folder):
    """The generator's program, in an environment of its own that is made if it is missing."""
    folder = tools_folder / "openapi_python_client"
    program, installed = folder / "bin" / "openapi-python-client", folder / REQUIREMENTS.name
    if not installed.exists() or installed.read_text() != REQUIREMENTS.read_text():
        venv.create(folder, with_pip=True, clear=True)
        install = ("install", "--quiet", "--requirement", REQUIREMENTS)
        subprocess.run([folder / "bin" / "pip", *install], check=True)
        shutil.copy(REQUIREMENTS, installed)  # last: half an installation is made again
    return program


@pytest.fixture(scope="module")
def generated(generator, tmp_path_factory):
    """The generated package, imported."""
    package = tmp_path_factory.mktemp("client") / "changewire_client"
    arguments = ("generate", "--path", CONTRACT, "--output-path", package, "--meta", "none")
    path = f"{generator.parent}{os.pathsep}{os.environ['PATH']}"  # it formats with its own ruff
    subprocess.run(
        [generator, *arguments, "--config", CONFIG, "--fail-on-warning"],
        env={**os.environ, "PATH": path},
        check=True,
    )
    sys.path.insert(0, str(package.parent))
    importlib.import_module("changewire_client.models")
    yield sys.modules["changewire_client"]
    sys.path.remove(str(package.parent))


@pytest.fixture(scope="module")
def call(generated):
    """Call an operation: ``call(client, "list_entries", sources=[…])``."""
    tags = {each.operation_id: each.tag for each in load_operations()}

    def call(client, name, **arguments):
        module = importlib.import_module(f"changewire_client.api.{tags[name]}.{name}")
        with client:
            return module.sync_detailed(client=client, **arguments)

    return call


@pytest.fixture
def client(generated, live):
    """A client of the running service: of anybody, or with one of the keys."""

    def client(key=None):
        url = f"{live.url}/api/v1"
        if key is None:
            return generated.Client(base_url=url)
        return generated.AuthenticatedClient(base_url=url, token=live.keys.get(key, key))

    return client


def test_every_module_can_be_imported(generated):
    found = list(pkgutil.walk_packages(generated.__path__, "changewire_client."))
    for each in found:
        importlib.import_module(each.name)

    names = {each.name.rpartition(".")[2] for each in found}
    assert names >= {each.operation_id for each in load_operations()}


def follow(ask):
    """Count what came, page after page, until there is nothing new."""
    page = ask(limit=50)
    return len(page.items) + follow(partial(ask, after=page.next_)) if page.items else 0


def test_it_makes_the_calls_that_every_client_makes(call, client, seen):
    def asked(key, name, **arguments):
        return call(client(key), name, **arguments).parsed

    def refusal(key, name, **arguments):
        response = call(client(key), name, **arguments)
        return [response.status_code, response.parsed.code]

    two, since = {"sources": ["acme.compute", "acme.storage"]}, datetime.now(UTC) - SIXTEEN_HOURS
    sample = asked(None, "list_sources")
    catalog = asked("all", "list_sources", vendor="acme", limit=2)
    entries = asked("all", "list_entries", **two, limit=3)
    recent = asked("all", "list_entries", **two, since=since)
    important = asked(None, "list_important")
    diffs = asked("diffs", "get_diffs", **SLUG)
    fields = diffs.items[0].changes[0].fields

    assert seen == {
        "sample": [sample.sample, sample.agent[:9], len(sample.items)],
        "catalog": [catalog.total, catalog.items[0].changelog_url],
        "entries": [entries.total, *(item.title for item in entries.items)],
        "since": [recent.total, all(item.published_at > since for item in recent.items)],
        "latest": len(asked(None, "list_latest", limit=100).items),
        "important": important.items[0].importance.categories,
        "diffs": [diffs.total, fields[0].after, fields[1].before],
        "changes": follow(partial(asked, "all", "list_changes", **two)),
        "refused": [
            refusal(None, "list_latest", limit=101),
            refusal("cw_wrong", "list_sources"),
            refusal("all", "get_diffs", **SLUG),
            refusal("all", "list_entries", sources=["no.such"]),
        ],
    }


WEBHOOK = "0A1b2C3d4E5f"
EXAMPLES = [
    (operation, status, example["value"])
    for operation in load_operations()
    for status, node in load_contract()["paths"][operation.path][operation.method.lower()][
        "responses"
    ].items()
    for media_type, media in resolve(load_contract(), node).get("content", {}).items()
    if media_type == "application/json"
    for example in media["examples"].values()
]


@pytest.fixture
def answering():
    """Serve one answer, whatever is asked: ``answering(status, value)`` returns the address."""
    listeners = []

    def answering(status, value):
        class Answering(Handler):
            def do_GET(self):
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                body = json.dumps(value).encode()
                self.respond(int(status), body, {"Content-Type": "application/json"})

            def do_POST(self):
                self.do_GET()

        listeners.append(Listener(Answering))
        return listeners[-1].url

    yield answering
    for each in listeners:
        each.close()


@pytest.mark.parametrize(
    ("operation", "status", "value"),
    EXAMPLES,
    ids=[f"{operation.operation_id}-{status}" for operation, status, _ in EXAMPLES],
)
def test_it_reads_every_answer_that_the_contract_shows(
    call, generated, answering, operation, status, value
):
    needed = {
        "list_entries": SLUGS,
        "export_entries": SLUGS,
        "get_diffs": SLUG,
        "check_stack": {"body": generated.models.Stack(components=["pkg:npm/left-pad@1.3.0"])},
        "delete_stack": {"body": generated.models.OneStack(name="web")},
        "request_source": {"body": generated.models.SourceRequest(url="https://acme.example/")},
        "create_webhook": {
            "body": generated.models.WebhookInput(name="ours", url="https://acme.example/hook")
        },
        **{
            name: {"body": generated.models.OneWebhook(webhook=WEBHOOK)}
            for name in ("test_webhook", "rotate_webhook", "delete_webhook")
        },
        "redeliver_webhook": {"body": generated.models.Redelivery(webhook=WEBHOOK)},
        "list_deliveries": {"webhook": WEBHOOK},
    }
    client = generated.AuthenticatedClient(base_url=answering(status, value), token="cw_any")

    response = call(client, operation.operation_id, **needed.get(operation.operation_id, {}))

    assert response.status_code == int(status)
    assert json.loads(json.dumps(response.parsed.to_dict()).replace("+00:00", "Z")) == value
