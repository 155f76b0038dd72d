"""The API reference under /docs: readable as it is, tried out with a script of our own site."""

from functools import cache
from urllib.parse import urlencode

from flask import Blueprint, render_template
from markupsafe import Markup

from handlers.site.pages.contract_views import (
    GroupView,
    ObjectView,
    OperationView,
    groups_of,
    objects_of,
)
from handlers.site.prose import as_html
from handlers.site.samples import samples_of, tabs_of
from handlers.site.services import site_services
from openapi.contract import base_path, load_contract

reference = Blueprint("reference", __name__)


@reference.get("/docs")
def page() -> str:
    """Show the contract."""
    groups, _ = arranged()
    address = f"{site_services().site_url}{base_path()}"
    important = samples_of(f"{address}/important?limit=5")
    entries = samples_of(f"{address}/entries?sources=SLUG", "cw_…")
    return render_template(
        "reference.html",
        samples={
            "without": tabs_of("without", "A request without a key", important),
            "with_key": tabs_of("with-key", "A request with a key", entries),
        },
        base=base_path(),
        introduction=as_html(load_contract()["info"]["description"]),
        groups=groups,
    )


@reference.get("/docs/objects")
def objects() -> str:
    """Show each object with its fields."""
    return render_template("objects.html", objects=arranged()[1])


@reference.get("/docs/samples")
def samples() -> str:
    """Show each operation as code."""
    groups, _ = arranged()
    address = f"{site_services().site_url}{base_path()}"
    operations = [operation for group in groups for operation in group.operations]
    return render_template(
        "samples.html",
        operations=[(operation, sample_of(operation, address)) for operation in operations],
        base=base_path(),
    )


def sample_of(operation: OperationView, address: str) -> Markup:
    """Return how an operation is called: what it requires filled in with the examples."""
    required = {field.name: field.example for field in operation.parameters if field.required}
    url = f"{address}{operation.path}"
    url += f"?{urlencode(required, safe=',')}" if required else ""
    body = {field.name: field.example for field in operation.body if field.required}
    key = "cw_…" if operation.needs_key else None
    samples = samples_of(url, key, body or None)
    return tabs_of(operation.id, f"{operation.method} {operation.path}", samples)


@cache
def arranged() -> tuple[tuple[GroupView, ...], tuple[ObjectView, ...]]:
    """Return the contract's operations and objects, arranged once."""
    contract = load_contract()
    return tuple(groups_of(contract)), tuple(objects_of(contract))
