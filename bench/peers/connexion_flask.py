"""The same API on Connexion's FlaskApp as it comes, with our contract, strict both ways."""

from datetime import UTC, datetime
from typing import Any

from connexion import FlaskApp
from connexion.exceptions import OAuthProblem
from connexion.lifecycle import ConnexionResponse
from connexion.resolver import RelativeResolver
from flask import Response, request
from peers import orm, questions
from peers.rss import rss_of

from ingest.scheduling.health import Verdict
from openapi.contract import load_contract
from storage.entries.documents import timestamp

READY = orm.sessions()


def check_key(apikey: str, **_asked: Any) -> dict[str, Any]:
    """Return what Connexion hands on for a live key."""
    try:
        with READY() as session:
            caller = questions.caller_of(session, apikey)
            return {"sub": caller.key_id, "caller": caller}
    except orm.Refused as error:
        raise OAuthProblem(str(error)) from error


def _core(entry: orm.Entry, summary: str | None) -> dict[str, Any]:
    return {
        "id": entry.external_id,
        "source": entry.of.slug,
        "vendor": entry.of.vendor,
        "published_at": timestamp(entry.published_at),
        "title": entry.title,
        "url": entry.url,
        "summary": summary,
        "tags": entry.of.tags,
    }


def list_entries(
    token_info: dict[str, Any],
    sources: list[str],
    limit: int,
    offset: int,
    since: str | None = None,
) -> dict[str, Any]:
    """Answer GET /entries."""
    after = None if since is None else datetime.fromisoformat(since)
    caller = token_info["caller"]
    with READY() as session:
        total, rows = questions.entries_page(
            session, caller, sources, since=after, limit=limit, offset=offset
        )
        return {
            "plan": caller.plan,
            "total": total,
            "limit": limit,
            "offset": offset,
            "items": [{**_core(row, row.summary), "raw": row.raw} for row in rows],
        }


def list_latest(limit: int, offset: int, **_future: Any) -> dict[str, Any]:
    """Answer GET /latest."""
    with READY() as session:
        total, rows = questions.public_page(session, limit=limit, offset=offset, important=False)
        items = [_core(row, row.short_summary) for row in rows]
    return {"total": total, "limit": limit, "offset": offset, "items": items}


def list_important(limit: int, offset: int) -> dict[str, Any]:
    """Answer GET /important."""
    with READY() as session:
        total, rows = questions.public_page(session, limit=limit, offset=offset, important=True)
        items = [{**_core(row, row.short_summary), "importance": row.importance} for row in rows]
    return {"total": total, "limit": limit, "offset": offset, "items": items}


def _source(source: orm.Source, judged: Verdict) -> dict[str, Any]:
    return {
        "slug": source.slug,
        "vendor": source.vendor,
        "name": source.name,
        "kind": source.kind,
        "homepage": source.homepage,
        "lastUpdatedAt": timestamp(source.facts.newest_published_at),
        "health": judged.health.value,
    }


def list_sources(
    token_info: dict[str, Any], limit: int, offset: int, **_filters: Any
) -> dict[str, Any]:
    """Answer GET /sources."""
    now = datetime.now(UTC)
    with READY() as session:
        if not token_info:
            total, rows = questions.sample(session)
            return {
                "sample": True,
                "total": total,
                "limit": 5,
                "offset": 0,
                "items": [_source(row, questions.verdict(row, now)) for row in rows],
                "hint": "Sign up for a free key.",
                "agent": "This JSON is a sample and not the catalog.",
            }
        total, rows = questions.catalog_page(session, limit=limit, offset=offset)
        items = [
            {
                **_source(row, judged := questions.verdict(row, now)),
                "changelogUrl": row.changelog_url,
                "adapterType": row.adapter_type,
                "tags": row.tags,
                "lastFetchedAt": timestamp(row.facts.last_success_at),
                "healthMessage": judged.message,
            }
            for row in rows
        ]
    return {"total": total, "limit": limit, "offset": offset, "items": items}


def not_measured(**_ignored: Any) -> dict[str, Any]:
    """Stand for the operations that the measurements leave out."""
    raise LookupError("This peer answers only what is measured.")


list_changes = list_deadlines = list_upgrades = get_diffs = not_measured
request_source = check_stack = list_webhooks = list_deliveries = not_measured
create_webhook = test_webhook = rotate_webhook = delete_webhook = redeliver_webhook = not_measured


def rss() -> Response:
    """Answer the RSS feed."""
    with READY() as session:
        _, rows = questions.public_page(session, limit=50, offset=0, important=False)
        return Response(rss_of(rows), mimetype="application/rss+xml")


def with_tag(response: Response) -> Response:
    """Give an answer the ETag that Flask's own library makes of its body."""
    if response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
    return response


def create() -> FlaskApp:
    """Return the application."""
    contract = load_contract()
    for scheme in contract["components"]["securitySchemes"].values():
        name = "x-bearerInfoFunc" if scheme["type"] == "http" else "x-apikeyInfoFunc"
        scheme[name] = "peers.connexion_flask.check_key"
    app = FlaskApp(__name__)
    app.add_api(
        contract,
        base_path="/api/v1",
        resolver=RelativeResolver("peers.connexion_flask"),
        strict_validation=True,
        validate_responses=True,
        pythonic_params=True,
    )
    app.add_error_handler(
        orm.Refused,
        lambda _request, error: ConnexionResponse(status_code=error.status, body=error.body),
    )
    app.app.add_url_rule("/rss/updates.xml", "rss", rss)
    app.app.after_request(with_tag)
    return app
