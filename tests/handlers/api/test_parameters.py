"""The matrix of parameters: every parameter of the contract does what it says, wherever it is sent.

It is made from the contract. A new parameter fails here until its handler heeds it, and each
failure names the file to open. What is sent is the parameter's example; the sources below are made
so that every example changes the response.
"""

import csv
import io
from datetime import date, timedelta
from functools import partial
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from filling import NewKeys, catalog_row, important, publish
from sqlalchemy import select
from starlette.testclient import TestClient

from handlers.api import operations
from handlers.api.application import create_api
from handlers.context import Context
from openapi.contract import load_operations
from openapi.vocabulary import AdapterType, DeadlineKind, Health, Kind, Plan
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import save_sources
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import add_webhook
from storage.engine.database import open_database
from storage.entries.deadline_history import DeadlineRecord
from storage.models import Account, ApiKey, Delivery, Webhook
from storage.models.webhooks import DeliveryState
from storage.people.stacks import SavedPart, save_parts

CURSOR, PAGE = "after", {"limit", "offset"}
OTHER = {"wait", "format"}
"""Say when the response comes, and how it is written, not what it is."""
WITH = {"order": "q", "from": "purl", "to": "purl"}
"""Parameters that say something of another one."""
READING = [
    each
    for each in load_operations()
    if each.method == "GET" and "application/json" in each.responses[200].content
]
CELLS = [
    (operation, parameter)
    for operation in READING
    for parameter in operation.parameters
    if parameter.name not in OTHER
]
FOLLOWED = [
    (operation, parameter)
    for operation, parameter in CELLS
    if CURSOR in {each.name for each in operation.parameters} and parameter.name != CURSOR
]
PAGED = [
    (operation, parameter)
    for operation, parameter in CELLS
    if {each.name for each in operation.parameters} >= PAGE and parameter.name not in PAGE
]
VERSIONS = ("1.0.0", "1.5.0", "2.0.0", "2.1.0-rc.1", "2.1.0", "2.2.0")
HEALTH = (Health.HEALTHY, Health.DEGRADED)
HOUR, MONTH = timedelta(hours=1), timedelta(days=30)

DEADLINES = tuple(
    DeadlineRecord(kind, day, day, f"{kind} on {day}")
    for kind, day in (
        (DeadlineKind.REMOVAL, date(2026, 11, 25)),
        (DeadlineKind.END_OF_LIFE, date(2027, 1, 31)),
        (DeadlineKind.REMOVAL, date(2027, 6, 1)),
    )
)


def cells(pairs):
    names = [f"{operation.operation_id}-{parameter.name}" for operation, parameter in pairs]
    return pytest.mark.parametrize(("operation", "parameter"), pairs, ids=names)


def fill(database, now):
    """Store sources of which each example of a parameter chooses at least two, and never all.

    Their entries are old, new, and ahead of their time. Returns the keys by operation, and another.
    """
    rows = [
        catalog_row("kubernetes.kubernetes", kind=Kind.RELEASE_NOTES, tags=("cloud", "database")),
        catalog_row("kubernetes.mail", kind=Kind.UPDATES),
        catalog_row(
            "stripe.changelog", vendor="acme", kind=Kind.BLOG, adapter_type=AdapterType.ATOM
        ),
        catalog_row("globex.compute", kind=Kind.RELEASE_NOTES, adapter_type=AdapterType.HTML),
        catalog_row("globex.compute-cloud", kind=Kind.UPDATES),
        catalog_row("hooli.mail", kind=Kind.CHANGELOG, adapter_type=AdapterType.HTML),
    ]
    with database.write() as session:
        save_sources(session, rows)
        save_packages(
            session,
            [SeenPackage("kubernetes.kubernetes", "pkg:github/kubernetes/kubernetes", "here")],
        )
    breaking, insecure = important("breaking", text="n"), important("security", text="h")
    for slug in [row.slug for row in rows]:
        store = partial(publish, database, now, slug)
        store(important=breaking, old=MONTH, older=2 * MONTH, new=HOUR)
        store(important=breaking, deadlines=DEADLINES, newer=HOUR / 2)
        store(important=insecure, deadlines=DEADLINES, hole=2 * HOUR, holes=3 * MONTH)
        store(ahead=-HOUR)
        store(important=insecure, deadlines=DEADLINES, webhook=4 * HOUR)
        store(important=insecure, deadlines=DEADLINES, told="A webhook. ", notes=3 * HOUR)
        store(**dict.fromkeys(VERSIONS, 5 * HOUR))
        store(important=insecure, deadlines=DEADLINES, **{"3.0.0-beta.1": 6 * HOUR})
    for slug in ("kubernetes.kubernetes", "stripe.changelog"):
        publish(database, now, slug, told="CVE-2026-12345. ", closed=7 * HOUR)
    new_key = NewKeys(database, now)
    some = new_key(Plan.STARTER, sources=["kubernetes.kubernetes", "stripe.changelog"])
    running = SavedPart("pkg:github/kubernetes/kubernetes", "1.0.0")
    with database.write() as session:
        for account_id in session.scalars(select(Account.id)).all():
            save_parts(session, account_id, [running])
        own = session.scalars(
            select(ApiKey).where(ApiKey.public_id == some["X-Api-Key"][3:15])
        ).one()
        settings = Webhook(name="ours", url="https://acme.example/hook")
        webhook = add_webhook(session, own.account_id, settings, now=now)
        webhook.public_id = "0A1b2C3d4E5f"
        tests = [add_test_event(session, webhook.id, now=now) for _ in range(45)]
        for test in tests[:2]:
            session.get_one(Delivery, test).state = DeliveryState.DEAD
    keys = {
        "get_diffs": new_key(Plan.ALL, diffs_addon=True),
        "list_changes": new_key(Plan.ALL, sources=["kubernetes.kubernetes", "stripe.changelog"]),
    }
    return keys, some


@pytest.fixture(scope="module")
def ask(new_database_url, now):
    """Send an operation with some parameters; to one application, for nothing here writes."""
    database = open_database(new_database_url())
    keys, some = fill(database, now)
    services = Context(
        db=database,
        now=lambda: now,
        judge=lambda item, at: (HEALTH[item.vendor == "globex"], None),
        site_url="https://changewire.example",
    )

    def ask(operation, parameters, *, path=None):
        address = f"{path or '/api/v1' + operation.path}?{urlencode(parameters)}"
        key = keys.get(operation.operation_id, some)
        return client.get(address, headers=key)

    with TestClient(create_api(services), raise_server_exceptions=False) as client:
        yield ask
    database.close()


def example(operation, parameter):
    assert parameter.example, (
        f"openapi/openapi.yaml: {parameter.name} of GET {operation.path} has no example to send"
    )
    return parameter.example


def sent_with(operation, parameter, **more):
    """Return the example of a parameter, with those that the operation or it itself requires."""
    names = parameter.name, WITH.get(parameter.name)
    needed = [each for each in operation.parameters if each.required or each.name in names]
    return {each.name: example(operation, each) for each in needed} | more


def sent_without(operation, parameter):
    """Return what the operation requires; None where it requires the parameter."""
    if parameter.required:
        return None
    other = WITH.get(parameter.name)
    return {
        each.name: example(operation, each)
        for each in operation.parameters
        if each.required or each.name == other
    }


def fault(operation, words):
    handler = getattr(operations, operation.operation_id).__module__.replace(".", "/")
    return f"{handler}.py: {words}"


def links_of(response):
    """Return the query of each link, by its relation."""
    return {
        relation: {name: texts[0] for name, texts in parse_qs(urlsplit(link["url"]).query).items()}
        for relation, link in response.links.items()
    }


def names_of(items):
    items = [item.get("entry", item) for item in items]
    return sorted(item.get("slug") or f"{item.get('source')} {item['id']}" for item in items)


@cells(CELLS)
def test_it_changes_the_response(ask, operation, parameter):
    given = ask(operation, sent_with(operation, parameter))
    assert given.status_code == 200, fault(
        operation, f"GET {operation.path} with {parameter.name} is answered {given.status_code}"
    )

    without = sent_without(operation, parameter)
    other = ask(operation, without or {})

    if without is None:
        assert other.status_code == 400, fault(
            operation, f"GET {operation.path} is answered without {parameter.name}"
        )
    assert given.json() != other.json(), fault(
        operation,
        f"{parameter.name}={example(operation, parameter)} changes nothing in the response of "
        f"GET {operation.path}, as sent by tests/handlers/api/test_parameters.py",
    )


@cells(PAGED)
def test_page_2_keeps_it(ask, operation, parameter):
    query = sent_with(operation, parameter)
    everything = ask(operation, {**query, "limit": 100}).json()["items"]
    assert len(everything) > 1, (
        f"tests/handlers/api/test_parameters.py: {parameter.name}={query[parameter.name]} leaves "
        f"fewer than two items of GET {operation.path}, so that no page 2 is tried"
    )

    response, items = ask(operation, {**query, "limit": 1}), []
    while True:
        items += response.json()["items"]
        for relation, link in links_of(response).items():
            assert link.get(parameter.name) == query[parameter.name], fault(
                operation, f"the {relation} page of GET {operation.path} forgets {parameter.name}"
            )
        if "next" not in response.links:
            break
        response = ask(operation, links_of(response)["next"])

    assert names_of(items) == names_of(everything)


@cells(FOLLOWED)
def test_following_keeps_it(ask, operation, parameter):
    query = sent_with(operation, parameter)
    everything = ask(operation, {**query, "limit": 100}).json()["items"]

    response, items = ask(operation, {"limit": 2, **query}), []
    while True:
        items += response.json()["items"]
        if not response.json()["more"]:
            break
        (link,) = links_of(response).values()
        assert link.get(parameter.name) == query.get(parameter.name), fault(
            operation, f"following GET {operation.path} forgets {parameter.name}"
        )
        response = ask(operation, link)

    assert names_of(items) == names_of(everything), fault(
        operation, f"following GET {operation.path} gives other items with {parameter.name}"
    )


@cells([cell for cell in CELLS if cell[0].path == "/entries"])
def test_csv_keeps_it(ask, operation, parameter):
    query = sent_with(operation, parameter)
    page, sheet = ask(operation, query), ask(operation, query, path="/api/v1/entries.csv")

    rows = csv.DictReader(io.StringIO(sheet.text, newline=""))
    assert names_of(rows) == names_of(page.json()["items"])
    assert links_of(sheet) == links_of(page)
