"""The API reference at /docs: readable as it is, to be tried out with a script of our own site."""

from functools import cache

from flask import Blueprint, render_template

from handlers.site.pages.contract_views import GroupView, ObjectView, groups_of, objects_of, prose
from handlers.site.samples import samples_of, tabs_of
from handlers.site.services import site_services
from openapi.contract import base_path, load_contract

reference = Blueprint("reference", __name__)


@reference.get("/docs")
def page() -> str:
    """Show the contract."""
    groups, objects = arranged()
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
        introduction=prose(load_contract()["info"]["description"]),
        groups=groups,
        objects=objects,
        site_url=site_services().site_url,
    )


@cache
def arranged() -> tuple[tuple[GroupView, ...], tuple[ObjectView, ...]]:
    """Return the contract's operations and objects, arranged once."""
    contract = load_contract()
    return tuple(groups_of(contract)), tuple(objects_of(contract))
