"""Requests for sources: check, accept, reject."""

from typing import Any, Final

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.forms import parse_choice, parse_offset
from handlers.site.operator.actions import PAGE, back, operator_services, record, written
from handlers.site.services import site_services
from handlers.site.session import require_operator
from handlers.site.words import KIND_NAMES
from openapi.vocabulary import Kind, RequestStatus
from storage.catalog.requests import (
    NEXT,
    NewSource,
    RequestRefused,
    WrongStep,
    find_request,
    move_request,
    page_requests,
    steps_of,
)

operator_requests = Blueprint("operator_requests", __name__, url_prefix="/operator/requests")
operator_requests.before_request(require_operator)
LONGEST_FIELD: Final = 300
HERE: Final = "operator_requests.show"


@operator_requests.get("")
def overview() -> str:
    """List open or decided requests."""
    decided = request.args.get("show") == "decided"
    offset = parse_offset(request.args.get("offset"))
    with site_services().db.read() as session:
        total, requests = page_requests(session, undecided=not decided, limit=PAGE, offset=offset)
    return render_template(
        "operator/requests.html",
        requests=requests,
        total=total,
        offset=offset,
        size=PAGE,
        decided=decided,
    )


@operator_requests.get("/<id_>")
def show(id_: str, fault: str | None = None) -> str:
    """Show a request and the result of its check."""
    with site_services().db.read() as session:
        source_request = or_404(find_request(session, id_))
        findings: Any = source_request.findings if isinstance(source_request.findings, dict) else {}
        return render_template(
            "operator/request.html",
            wish=source_request,
            offers=findings.get("offers") or [],
            troubles=findings.get("troubles") or [],
            steps=steps_of(session, id_),
            may={status.value for status in NEXT.get(source_request.status, ())},
            kinds=KIND_NAMES,
            written=request.form,
            fault=fault,
        )


@operator_requests.post("/<id_>/check")
def check(id_: str) -> AnyResponse:
    """Start the search for a feed or entries behind the requested address."""
    with site_services().db.write() as session:
        or_404(find_request(session, id_))
        record(session, "request checked", id_)
    operator_services().check(id_)
    return back("The check has begun. Reload this page in a moment to see it.", HERE, id_=id_)


@operator_requests.post("/<id_>/accept")
def accept(id_: str) -> AnyResponse | tuple[str, int]:
    """Add the source to the catalog."""
    services = site_services()
    try:
        wanted = _wanted()
        with services.db.write() as session:
            source_request = or_404(find_request(session, id_))
            operator_services().accept(session, source_request, wanted, now=services.now())
            record(session, "request accepted", id_)
    except (RequestRefused, WrongStep) as error:
        return show(id_, fault=str(error)), 400
    return back(f"The catalog has {wanted.slug} now.", HERE, id_=id_)


@operator_requests.post("/<id_>/reject")
def reject(id_: str) -> AnyResponse | tuple[str, int]:
    """Reject a request, with a reason that is recorded."""
    services = site_services()
    reason = written("reason")
    if not reason:
        return show(id_, fault="Say why; it is kept for the record."), 400
    try:
        with services.db.write() as session:
            source_request = or_404(find_request(session, id_))
            rejected = RequestStatus.REJECTED
            move_request(session, source_request, rejected, now=services.now(), reason=reason)
            record(session, "request rejected", id_)
    except WrongStep as error:
        return show(id_, fault=str(error)), 400
    return back("The request is rejected.", "operator_requests.overview")


def _wanted() -> NewSource:
    offer = written("offer")
    tags = tuple(tag.strip() for tag in written("tags").split(",") if tag.strip())
    return NewSource(
        slug=written("slug", LONGEST_FIELD),
        name=written("name", LONGEST_FIELD),
        tags=tags,
        kind=parse_choice(Kind, written("kind")) or Kind.CHANGELOG,
        homepage=written("homepage") or None,
        changelog_url=written("changelog") or None,
        offer=int(offer) if offer.isascii() and offer.isdigit() and 0 < len(offer) < 4 else 1,
    )
