"""Documents for programs: the contract, and whether the service is well."""

from flask import Blueprint, Response, current_app

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
    """Say that the process is alive; asks nothing of the database."""
    return Response("alive\n", mimetype="text/plain", headers=UNCACHED)


@documents.get("/readyz")
def readyz() -> Response:
    """Say whether the database answers and this program may use it."""
    try:
        require_current(current_app.extensions["changewire"].db)
    except DatabaseUnavailable:
        return Response("not ready\n", status=503, mimetype="text/plain", headers=UNCACHED)
    return Response("ready\n", mimetype="text/plain", headers=UNCACHED)
