"""The API reference at /docs: readable as it is, to be tried out with a script of our own site."""

from flask import Blueprint, render_template

from handlers.site.services import site_services
from openapi.contract import base_path, load_contract, load_operations

reference = Blueprint("reference", __name__)


@reference.get("/docs")
def page() -> str:
    """Show the contract."""
    return render_template(
        "reference.html",
        base=base_path(),
        operations=load_operations(),
        schemes=load_contract()["components"]["securitySchemes"],
        site_url=site_services().site_url,
    )
