"""Documents for programs: the contract, liveness and readiness."""

from flask import Blueprint, Response

from handlers.site.services import site_services
from openapi.contract import contract_json, contract_text
from storage.engine.database import DatabaseUnavailable, require_current

documents = Blueprint("documents", __name__)
CACHED = {"Cache-Control": "public, max-age=60"}
UNCACHED = {"Cache-Control": "no-store"}


@documents.get("/openapi.json")
def openapi_json() -> Response:
    """Serve the contract as JSON (specification, introduction)."""
    return Response(contract_json(), mimetype="application/json", headers=CACHED)


@documents.get("/openapi.yaml")
def openapi_yaml() -> Response:
    """Serve the contract as it is written."""
    return Response(contract_text(), mimetype="application/yaml", headers=CACHED)


@documents.get("/healthz")
def healthz() -> Response:
    """Report that the process is alive, without using the database."""
    return Response("alive\n", mimetype="text/plain", headers=UNCACHED)


@documents.get("/readyz")
def readyz() -> Response:
    """Report whether the database answers and has this program's revision."""
    try:
        require_current(site_services().db)
    except DatabaseUnavailable:
        return Response("not ready\n", status=503, mimetype="text/plain", headers=UNCACHED)
    return Response("ready\n", mimetype="text/plain", headers=UNCACHED)
