"""Documents for programs: the contract, readiness, the catalog of APIs, sitemap and robots.txt."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final

import orjson
from flask import Blueprint, Response, abort, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.majors import Major
from handlers.site.services import current_time, read, site_services, write_probe
from openapi.contract import base_path, load_operations
from openapi.vocabulary import Json
from storage.catalog.catalog_items import items_of
from storage.catalog.sources import sample_ids
from storage.engine.database import DatabaseUnavailable, require_current
from storage.entries.documents import timestamp
from storage.entries.entry_pages import newest_feed_entries

documents = Blueprint("documents", __name__)
VALID_FOR: Final = timedelta(days=180)
CACHED: Final = {"Cache-Control": "public, max-age=60"}
UNCACHED: Final = {"Cache-Control": "no-store"}
CATALOG_PATH: Final = "/.well-known/api-catalog"
LINKSET: Final = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"'
SAMPLE: Final = 5
NEWEST: Final = 50
NOT_FOR_CRAWLERS: Final = ("/app/", "/auth/", "/following", "/search")
PAGES: Final = (
    *("/", "/latest", "/important", "/edits", "/deadlines", "/sources", "/vendors", "/plans"),
    *("/guide", "/docs", "/status", "/changelog"),
)


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
    if write_probe().fault(now=current_time()) is not None:
        return _readiness("not ready: writes fail", 503)
    return _readiness("ready", 200)


def _readiness(words: str, status: int) -> Response:
    return Response(f"{words}\n", status=status, mimetype="text/plain", headers=UNCACHED)


@documents.get(CATALOG_PATH)
def api_catalog() -> Response:
    """Serve the catalog, with its address in a header for HEAD requests (section 2)."""
    site_url = site_services().site_url
    document = orjson.dumps(linkset(site_url, site_services().majors))
    answer = Response(document, headers=CACHED)
    answer.headers["Content-Type"] = LINKSET
    answer.headers["Link"] = f'<{site_url}{CATALOG_PATH}>; rel="api-catalog"'
    return answer


def linkset(site_url: str, majors: Sequence[Major]) -> dict[str, Json]:
    """Return the documents about each major version as a linkset (RFC 9264 section 4.2)."""
    items: list[Json] = [
        {"href": site_url + major.base_path, "title": "Changewire API"} for major in majors
    ]
    about_each: list[Json] = [
        {
            "anchor": site_url + major.base_path,
            "service-desc": [
                {"href": f"{site_url}{major.document}.json", "type": "application/json"},
                {"href": f"{site_url}{major.document}.yaml", "type": "application/yaml"},
            ],
            "service-doc": [{"href": f"{site_url}/docs", "type": "text/html"}],
            "service-meta": [{"href": f"{site_url}/llms.txt", "type": "text/plain"}],
            "status": [{"href": f"{site_url}/status.json", "type": "application/json"}],
        }
        for major in majors
    ]
    return {"linkset": [{"anchor": f"{site_url}{CATALOG_PATH}", "item": items}, *about_each]}


@documents.get("/sitemap.xml")
def sitemap() -> Response:
    """Serve the sitemap: addresses, with the time of their last change where that is known."""
    text = render_template("sitemap.xml", addresses=_addresses())
    return Response(text, mimetype="application/xml")


def _addresses() -> Iterator[tuple[str, datetime | None]]:
    now = current_time()
    yield from ((path, None) for path in PAGES)
    with read() as session:
        for item in items_of(session, sample_ids(session, limit=SAMPLE), now=now):
            yield f"/sources/{item.slug}", item.last_updated_at
            entries = newest_feed_entries(
                session, most=NEWEST, now=now, only_important=False, source_id=item.id
            )
            for entry in entries:
                yield entry.path, entry.changed_at


@documents.get("/llms.txt")
def llms() -> Response:
    """Serve a description of the service for language models."""
    text = render_template("llms.txt", base=base_path(), operations=load_operations())
    return Response(text, mimetype="text/plain")


@documents.get("/robots.txt")
def robots() -> Response:
    """Exclude crawlers from the pages behind the sign-in and from searches; name the sitemap."""
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in NOT_FOR_CRAWLERS),
        f"Sitemap: {site_services().site_url}/sitemap.xml",
    ]
    return Response("\n".join(lines) + "\n", mimetype="text/plain")


@documents.get("/.well-known/security.txt")
def security() -> Response:
    """Return where to report a vulnerability (RFC 9116), where the operator names a contact."""
    services = site_services()
    if "contact" not in services.offer.documents:
        abort(404)
    expires = timestamp(
        (current_time() + VALID_FOR).replace(hour=0, minute=0, second=0, microsecond=0)
    )
    text = f"Contact: {services.site_url}/contact\nExpires: {expires}\nPreferred-Languages: en\n"
    return Response(text, mimetype="text/plain", headers=CACHED)


@documents.get("/bulk")
def bulk() -> AnyResponse:
    """Redirect to the daily file, which is an operation of the API."""
    return redirect(f"{site_services().major.base_path}/bulk", code=308)


@documents.get("/favicon.ico")
def favicon() -> AnyResponse:
    """Redirect browsers to the icon, which they request for pages that name none."""
    return redirect(url_for("static", filename="icon.svg"))
