"""Documents for programs: the contract, liveness and readiness."""

from flask import Blueprint, Response, abort

from handlers.site.services import site_services, write_probe
from storage.engine.database import DatabaseUnavailable, require_current

documents = Blueprint("documents", __name__)
CACHED = {"Cache-Control": "public, max-age=60"}
UNCACHED = {"Cache-Control": "no-store"}


@documents.get("/openapi.<any(json, yaml):form>")
@documents.get("/<version>/openapi.<any(json, yaml):form>")
def contract(form: str, version: str | None = None) -> Response:
    """Serve the contract, or that of a further major version, as JSON or as it is written."""
    document = "/openapi" if version is None else f"/{version}/openapi"
    majors = {major.document: major for major in site_services().majors}
    if document not in majors:
        abort(404)
    body = majors[document].as_json if form == "json" else majors[document].as_yaml
    return Response(body, mimetype=f"application/{form}", headers=CACHED)


@documents.get("/healthz")
def healthz() -> Response:
    """Report that the process is alive, without using the database."""
    return Response("alive\n", mimetype="text/plain", headers=UNCACHED)


@documents.get("/readyz")
def readyz() -> Response:
    """Report whether the database answers, has this program's revision, and takes writes."""
    services = site_services()
    try:
        require_current(services.db)
    except DatabaseUnavailable:
        return _readiness("not ready", 503)
    if write_probe().fault(now=services.now()) is not None:
        return _readiness("not ready: writes fail", 503)
    return _readiness("ready", 200)


def _readiness(words: str, status: int) -> Response:
    return Response(f"{words}\n", status=status, mimetype="text/plain", headers=UNCACHED)
