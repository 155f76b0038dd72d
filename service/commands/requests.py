"""changewire requests: list, check, accept and reject requests for sources and plans."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

import structlog
import typer
from sqlalchemy.orm import Session

from ingest.catalog import as_csv, read_catalog
from ingest.discovery.probe import probe
from openapi.text import counted
from openapi.vocabulary import AdapterType, Kind, RequestStatus
from service.clock import clock
from service.commands.ingest import check_sources
from service.commands.inputs import opened
from service.commands.output import (
    AsJson,
    CommandFailed,
    command_group,
    print_json,
    print_table,
    record,
    say,
)
from service.commands.plan_requests import decide_request, send_decision
from service.commands.sources import show_probe
from service.ingestion import open_ingestion
from storage.catalog.requests import (
    NewSource,
    find_request,
    list_requests,
    move_request,
    save_findings,
    source_at,
    steps_of,
)
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database
from storage.models import PlanRequest, SourceRequest
from storage.people.accounts import Refused
from storage.people.plan_requests import find_plan_request, list_plan_requests, plan_request_id

log = structlog.get_logger(__name__)

requests = command_group("List, check, accept and reject requests for sources and plans.")
Id = Annotated[str, typer.Argument(metavar="ID", help="The request's id.")]


@requests.command("list")
def requests_list(
    status: Annotated[RequestStatus | None, typer.Option(help="Filter by status.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """List requests, oldest first. Example: changewire requests list --status pending

    A plan request is decided by: changewire account set EMAIL --plan PLAN
    """
    with opened() as (_, database), database.read() as session:
        rows = [_source_row(session, request) for request in list_requests(session, status)]
        plans = map(_plan_row, list_plan_requests(session))
        rows += [row for row in plans if status is None or row["status"] == status]
    rows.sort(key=lambda row: row["created_at"])
    if json:
        print_json(rows)
        return
    columns = ("id", "status", "date", "request", "note or result")
    print_table(columns, map(_cells, rows), whole=("id", "status", "date"))


@requests.command("check")
def requests_check(id_: Id, *, json: AsJson = False) -> None:
    """Look for a feed at the requested address. Example: changewire requests check req_…"""
    with opened() as (settings, database):
        with _moving(database, id_) as (session, request):
            url = request.url
            move_request(session, request, RequestStatus.CHECKING, now=clock())
        with open_ingestion(settings, database) as ingestion:
            probe_result = probe(ingestion, url, now=clock())
        addresses = {url, *(offer.address for offer in probe_result.offers)}
        with _moving(database, id_) as (session, request):
            save_findings(session, request, probe_result.as_json())
            slug = source_at(session, addresses)
            if slug is None:
                move_request(session, request, RequestStatus.NEEDS_REVIEW, now=clock())
            else:
                reason = f"the catalog has it as {slug}"
                to = RequestStatus.DUPLICATE
                move_request(session, request, to, now=clock(), reason=reason, slug=slug)
        status = RequestStatus.NEEDS_REVIEW if slug is None else RequestStatus.DUPLICATE
    log.info("request moved", request=id_, status=status.value)
    if json:
        print_json({"id": id_, "status": status.value, "slug": slug, **probe_result.as_json()})
        return
    show_probe(probe_result)
    say(f"{id_} is {status.value}" + (f": the catalog has it as {slug}." if slug else "."))


@requests.command("accept")
def requests_accept(
    id_: Id,
    slug: Annotated[str, typer.Option(help="The new source's slug, vendor.product.")],
    name: Annotated[str, typer.Option(help="The display name.")],
    tag: Annotated[
        list[str], typer.Option(help="A tag from the catalog; one to five, repeatable.")
    ],
    vendor: Annotated[
        str | None, typer.Option(help="The vendor identifier; default: from the slug.")
    ] = None,
    kind: Annotated[Kind, typer.Option(help="Kind of changelog.")] = Kind.CHANGELOG,
    homepage: Annotated[str | None, typer.Option(help="The vendor's homepage.")] = None,
    changelog: Annotated[
        str | None,
        typer.Option(
            help="The changelog page; default: the requested address unless it is a feed."
        ),
    ] = None,
    offer: Annotated[int, typer.Option(min=1, help="Number of the feed listed by the check.")] = 1,
    *,
    ingest: Annotated[bool, typer.Option("--ingest", help="Check the source at once.")] = False,
) -> None:
    """Accept a request: add the source to the catalog.

    Example: changewire requests accept req_… --slug acme.mail --name Mail --tag email
    """
    with opened() as (_, database), _moving(database, id_) as (session, request):
        wanted = NewSource(
            slug=slug,
            name=name,
            tags=tuple(tag),
            vendor=vendor,
            kind=kind,
            homepage=homepage,
            changelog_url=changelog,
            offer=offer,
        )
        _accept(session, request, wanted, now=clock())
    log.info("request moved", request=id_, status=RequestStatus.ACCEPTED.value, slug=slug)
    say(f"{id_} is accepted; the catalog has {slug}.")
    if ingest:
        check_sources([slug])


@requests.command("reject")
def requests_reject(
    id_: Id,
    reason: Annotated[
        str,
        typer.Option(help="The reason; stored with the request, and emailed for plan requests."),
    ],
) -> None:
    """Decline a request. Example: changewire requests reject req_… --reason "none there\""""
    mail = None
    with opened() as (settings, database):
        with database.write() as session:
            plan = find_plan_request(session, id_)
            if plan is not None:
                site_url, now = settings.site_url, clock()
                mail = decide_request(
                    session, plan, granted=False, reason=reason, site_url=site_url, now=now
                )
        if mail is None:
            with _moving(database, id_) as (session, request):
                move_request(session, request, RequestStatus.REJECTED, now=clock(), reason=reason)
        log.info("request moved", request=id_, status=RequestStatus.REJECTED.value)
        say(f"{id_} is rejected.")
        if mail is not None:
            send_decision(settings, mail)


@contextmanager
def _moving(database: Database, id_: str) -> Iterator[tuple[Session, SourceRequest]]:
    """Give a request in a transaction of its own."""
    with database.write() as session:
        request = find_request(session, id_)
        if request is None:
            raise CommandFailed(f"There is no request {id_}; see: changewire requests list")
        yield session, request


def _accept(session: Session, request: SourceRequest, wanted: NewSource, *, now: datetime) -> None:
    """Add the source to the catalog and close the request. Raises Refused."""
    adapter_type, address = _chosen(request, wanted.offer)
    row = _row(request, wanted, adapter_type, address)
    _require_new(session, row, address)
    save_sources(session, [row])
    move_request(session, request, RequestStatus.ACCEPTED, now=now, slug=wanted.slug)


def _chosen(request: SourceRequest, number: int) -> tuple[AdapterType, str]:
    """Return the adapter and the address of one of the offers that the check stored."""
    findings = request.findings
    offers = findings.get("offers") if isinstance(findings, dict) else None
    if not isinstance(offers, list):
        raise Refused(
            f"{request.id} was not checked yet; run: changewire requests check {request.id}"
        )
    if not offers:
        raise Refused(
            f"Nothing to follow was found for {request.id}; check it again later, or reject it."
        )
    offer = offers[number - 1] if number <= len(offers) else None
    if not isinstance(offer, dict):
        offered = counted(len(offers), "offer")
        raise Refused(f"There is no offer {number} among {offered}; choose one with --offer.")
    return AdapterType(str(offer["adapter_type"])), str(offer["address"])


def _row(
    request: SourceRequest, wanted: NewSource, adapter_type: AdapterType, address: str
) -> CatalogRow:
    """Return the new source as a row of a catalog; raise Refused if the row is invalid."""
    is_page = adapter_type is AdapterType.HTML
    changelog_url = wanted.changelog_url or request.url
    if adapter_type is AdapterType.GITHUB_RELEASES:
        changelog_url = address.removesuffix(".atom")
    row = CatalogRow(
        slug=wanted.slug,
        vendor=wanted.vendor or wanted.slug.partition(".")[0],
        name=wanted.name,
        kind=wanted.kind,
        homepage=wanted.homepage or _site_of(changelog_url),
        changelog_url=address if is_page else changelog_url,
        adapter_type=adapter_type,
        feed_url=None if is_page else address,
        tags=wanted.tags,
    )
    rows, bad = read_catalog(as_csv([row]))
    if bad:
        raise Refused(" ".join(fault.reason for fault in bad))
    return rows[0]


def _site_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/"


def _require_new(session: Session, row: CatalogRow, address: str) -> None:
    if ids_of(session, [row.slug]):
        raise Refused(f"The catalog has a source {row.slug} already; choose another slug.")
    slug = source_at(session, {address})
    if slug is not None:
        raise Refused(f"The catalog follows this address already, as {slug}.")


def _cells(row: Mapping[str, Any]) -> list[str]:
    day, result = f"{row['created_at']:%Y-%m-%d}", row.get("slug") or row["reason"] or row["note"]
    wanted = row.get("url") or f"{row['plan']} plan for {row['account']}"
    addon = " with the Diff API" if row.get("diffs_addon") else ""
    return [row["id"], row["status"], day, f"{wanted}{addon}", result or ""]


def _plan_row(request: PlanRequest) -> dict[str, Any]:
    granted = RequestStatus.ACCEPTED if request.granted else RequestStatus.REJECTED
    return {
        "id": plan_request_id(request),
        "status": RequestStatus.PENDING if request.decided_at is None else granted,
        "kind": "plan",
        "account": request.account.email,
        **record(request, "created_at plan diffs_addon note reason"),
    }


def _source_row(session: Session, request: SourceRequest) -> dict[str, Any]:
    steps = [
        {"at": step.at, "from": step.before, "to": step.after, "reason": step.reason}
        for step in steps_of(session, request.id)
    ]
    names = "id status created_at url note slug reason findings"
    return record(request, names) | {"kind": "source", "steps": steps}
