"""The authorisation matrix: every operation, every kind of caller, every choice of sources.

The expected cells are written down, not computed. An operation without rows fails.
"""

from datetime import timedelta

import pytest

from openapi.contract import load_operations
from openapi.vocabulary import Plan, Scope
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.people.accounts import find_account
from storage.people.keys import find_key
from storage.people.sessions import add_session

OK = (200, None)
CREATED = (201, None)
NO_KEY = (401, "unauthorized")
NO_SCOPE = (403, "insufficient_scope")
NO_ADDON = (402, "addon_required")
NOT_SELECTED = (403, "source_not_selected")
INVALID = (400, "invalid_request")
NOT_THERE = (404, "not_found")
TOO_MANY = (403, "plan_limit_exceeded")

DEAD = ("malformed", "unknown", "expired", "revoked", "two different keys")
LIMITED = ("free", "starter", "addon without all", "session")
ALIVE = ("wrong scope", "all", "all and diffs", "downgraded", *LIMITED)
CALLERS = ("no key", *DEAD, *ALIVE)
SELECTIONS = ("selected", "unselected", "unknown", "mixed", "too many")


def row(*cells):
    return dict(zip(SELECTIONS, cells, strict=True))


def everywhere(cell):
    return row(*[cell] * len(SELECTIONS))


def one_source(cell):
    """A list is no slug, whoever sends it."""
    return row(cell, cell, cell, INVALID, INVALID)


PUBLIC = {"no key": OK, **dict.fromkeys(DEAD, NO_KEY), **dict.fromkeys(ALIVE, OK)}
NOBODY = dict.fromkeys(("no key", *DEAD), everywhere(NO_KEY))

WEBHOOKS = (
    "list_webhooks",
    "create_webhook",
    "test_webhook",
    "rotate_webhook",
    "delete_webhook",
    "list_deliveries",
    "redeliver_webhook",
)
LISTED_OR_MADE = {"list_webhooks": OK, "create_webhook": CREATED}


def limited(cells):
    """Callers of a plan with slots, who have selected one source."""
    return dict.fromkeys(LIMITED, cells)


def managed(cell):
    """A session manages none: a page of another site could send its cookie."""
    refused = dict.fromkeys(("no key", *DEAD, "session"), NO_KEY)
    return {**dict.fromkeys(ALIVE, cell), **refused, "wrong scope": NO_SCOPE}


EXPECTED = {
    "list_sources": PUBLIC,
    "list_latest": PUBLIC,
    "list_important": PUBLIC,
    "list_deadlines": PUBLIC,
    "request_source": {who: CREATED if cell == OK else cell for who, cell in PUBLIC.items()},
    "get_me": (ANY_KEY := {**dict.fromkeys(("no key", *DEAD), NO_KEY), **dict.fromkeys(ALIVE, OK)}),
    "list_facets": ANY_KEY,
    "list_entries": NOBODY
    | limited(row(OK, NOT_SELECTED, NOT_SELECTED, NOT_SELECTED, TOO_MANY))
    | {
        "wrong scope": everywhere(NO_SCOPE),
        "all": row(OK, OK, NOT_SELECTED, OK, OK),
        "all and diffs": row(OK, OK, NOT_SELECTED, OK, OK),
        "downgraded": everywhere(TOO_MANY),
    },
    "download_bulk": {
        **dict.fromkeys(("no key", *DEAD), NO_KEY),
        **dict.fromkeys(ALIVE, NOT_THERE),  # no snapshot was made
        "wrong scope": NO_SCOPE,
    },
    "check_stack": {
        **dict.fromkeys(("no key", *DEAD), NO_KEY),
        **dict.fromkeys(ALIVE, OK),
        "wrong scope": NO_SCOPE,
    },
    "delete_stack": managed(NOT_THERE),
    **{each: managed(LISTED_OR_MADE.get(each, NOT_THERE)) for each in WEBHOOKS},
    "list_upgrades": NOBODY
    | dict.fromkeys(ALIVE, everywhere(OK))
    | {"wrong scope": everywhere(NO_SCOPE)},
    "get_diffs": NOBODY
    | limited(one_source(NO_ADDON))
    | {
        "wrong scope": one_source(NO_SCOPE),
        "all": one_source(NO_ADDON),
        "all and diffs": row(OK, OK, NOT_SELECTED, INVALID, INVALID),
        "downgraded": one_source(NO_ADDON),
    },
}
ADDRESSES = {
    "list_sources": "/api/v1/sources",
    "list_latest": "/api/v1/latest",
    "list_important": "/api/v1/important",
    "list_deadlines": "/api/v1/deadlines",
    "get_me": "/api/v1/me",
    "list_facets": "/api/v1/facets",
    "request_source": "/api/v1/sources/request",
    "list_entries": "/api/v1/entries?sources={sources}",
    "download_bulk": "/api/v1/bulk",
    "export_entries": "/api/v1/entries.csv?sources={sources}",
    "list_changes": "/api/v1/changes?sources={sources}",
    "check_stack": "/api/v1/stacks",
    "delete_stack": "/api/v1/stacks/delete",
    "list_webhooks": "/api/v1/webhooks",
    "create_webhook": "/api/v1/webhooks",
    "test_webhook": "/api/v1/webhooks/test",
    "rotate_webhook": "/api/v1/webhooks/rotate",
    "delete_webhook": "/api/v1/webhooks/delete",
    "list_deliveries": "/api/v1/webhooks/deliveries?webhook=0A1b2C3d4E5f",
    "redeliver_webhook": "/api/v1/webhooks/redeliver",
    "list_upgrades": "/api/v1/upgrades?purl=pkg:generic/{sources}",
    "get_diffs": "/api/v1/diffs?source={sources}",
}
BODIES = {
    "request_source": {"url": "https://acme.example/log"},
    "create_webhook": {"name": "ours", "url": "https://acme.example/hook"},
    **{each: {"webhook": "0A1b2C3d4E5f"} for each in WEBHOOKS if each not in LISTED_OR_MADE},
    "delete_stack": {"name": "web"},
    "check_stack": {"components": ["pkg:generic/acme.mail@1.0", "pkg:generic/hooli.mail@1.0"]},
}
CHOICES = {
    "selected": "acme.mail",
    "unselected": "hooli.mail",
    "unknown": "acme.nonsense",
    "mixed": "acme.mail,hooli.mail",
    "too many": ",".join(
        f"{vendor}.{product}"
        for vendor in ("acme", "globex", "initech", "umbrella")
        for product in ("compute", "storage", "mail")
    ),
}
EXPECTED["export_entries"] = EXPECTED["list_changes"] = EXPECTED["list_entries"]


@pytest.fixture
def packages(database, catalog):
    """Two sources, each with a package of its name; what has none is answered, with nothing."""
    slugs = CHOICES["mixed"].split(",")
    with database.write() as session:
        save_packages(session, [SeenPackage(slug, f"pkg:generic/{slug}", "here") for slug in slugs])


@pytest.fixture
def headers_of(database, new_key, now):
    """Return what each kind of caller sends."""

    def headers_of(caller):
        selected = {"sources": ["acme.mail"]}
        match caller:
            case "no key":
                return {}
            case "malformed":
                return {"X-Api-Key": "cw_nonsense"}
            case "unknown":
                key = new_key()["X-Api-Key"]
                with database.write() as session:
                    session.delete(find_key(session, key[3:15]))
                return {"X-Api-Key": key}
            case "expired":
                return new_key(expires_at=now - timedelta(seconds=1))
            case "revoked":
                key = new_key()
                with database.write() as session:
                    find_key(session, key["X-Api-Key"][3:15]).revoked_at = now
                return key
            case "two different keys":
                return {"Authorization": f"Bearer {new_key()['X-Api-Key']}", **new_key()}
            case "wrong scope":
                return new_key(Plan.ALL, scopes=[], diffs_addon=True)
            case "free" | "starter" | "all":
                return new_key(Plan(caller), **selected)
            case "all and diffs":
                return new_key(Plan.ALL, diffs_addon=True)
            case "addon without all":
                return new_key(Plan.STARTER, diffs_addon=True, **selected)
            case "downgraded":
                key = new_key(Plan.STARTER, sources=CHOICES["too many"].split(",")[:5])
                with database.write() as session:
                    find_account(session, "person0@acme.example").plan = Plan.FREE
                return key
            case "session":
                new_key(Plan.FREE, **selected)
                with database.write() as session:
                    account = find_account(session, "person0@acme.example")
                    return {"Cookie": f"__Host-session={add_session(session, account, now=now)}"}

    return headers_of


def test_every_operation_has_its_rows():
    assert {each.operation_id for each in load_operations()} == EXPECTED.keys() == ADDRESSES.keys()
    assert all(rows.keys() == set(CALLERS) for rows in EXPECTED.values())


ROWS = [
    (operation, caller, cells if isinstance(cells, dict) else {"selected": cells})
    for operation, rows in EXPECTED.items()
    for caller, cells in rows.items()
]


@pytest.mark.parametrize(
    ("operation", "caller", "expected"),
    ROWS,
    ids=[f"{operation}-{caller}" for operation, caller, _ in ROWS],
)
def test_every_cell_is_answered_as_written(
    client, packages, headers_of, operation, caller, expected
):
    method = {each.operation_id: each.method for each in load_operations()}[operation]
    headers, body = headers_of(caller), BODIES.get(operation)

    answers = {}
    for choice in expected:
        address = ADDRESSES[operation].format(sources=CHOICES[choice])
        response = client.request(method, address, headers=headers, json=body)
        code = None if response.is_success else response.json()["code"]
        answers[choice] = (response.status_code, code)

    assert answers == expected


@pytest.mark.parametrize("scope", list(Scope))
def test_a_scope_opens_its_own_operation_only(client, new_key, scope):
    key = new_key(Plan.ALL, scopes=[scope], diffs_addon=True)

    targets = {
        Scope.READ_ENTRIES: "entries?sources=acme.mail",
        Scope.READ_DIFFS: "diffs?source=acme.mail",
        Scope.MANAGE_WEBHOOKS: "webhooks",
    }

    assert scope in targets or scope is Scope.MANAGE_STACKS  # which no operation reads with
    for each, target in targets.items():
        status = client.get(f"/api/v1/{target}", headers=key).status_code
        assert status == (200 if each is scope else 403)
