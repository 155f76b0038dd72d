"""changewire requests: list, check, accept and reject requests for sources and plans."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated, Any
from urllib.parse import urlsplit

import structlog
import typer

from ingest import catalog
from ingest.discovery import probe
from openapi.text import counted
from openapi.vocabulary import AdapterType, Kind, RequestStatus
from service import ingestion as checks
from service.clock import clock
from service.commands import ingest as commands_ingest
from service.commands import plan_requests, sources, tables
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
from storage.catalog import requests as catalog_requests
from storage.catalog import rows as catalog_rows
from storage.catalog import sources as catalog_sources
from storage.engine import database as databases
from storage.people import accounts
from storage.people import plan_requests as people_plan_requests

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
        rows = [
            _source_row(session, request)
            for request in catalog_requests.list_requests(session, status)
        ]
        plans = map(_plan_row, people_plan_requests.list_plan_requests(session))
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
            catalog_requests.move_request(session, request, RequestStatus.CHECKING, now=clock())
        with checks.open_ingestion(settings, database) as ingestion:
            probe_result = probe.probe(ingestion, url, now=clock())
        addresses = {url, *(offer.address for offer in probe_result.offers)}
        with _moving(database, id_) as (session, request):
            catalog_requests.save_findings(session, request, probe_result.as_json())
            slug = catalog_requests.source_at(session, addresses)
            status = RequestStatus.NEEDS_REVIEW if slug is None else RequestStatus.DUPLICATE
            reason = None if slug is None else f"the catalog has it as {slug}"
            catalog_requests.move_request(
                session, request, status, now=clock(), reason=reason, slug=slug
            )
    log.info("request moved", request=id_, status=status.value)
    if json:
        print_json({"id": id_, "status": status.value, "slug": slug, **probe_result.as_json()})
        return
    sources.show_probe(probe_result)
    say(f"{id_} is {status.value}" + (f": {reason}." if reason else "."))


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
        wanted = catalog_requests.NewSource(
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
        commands_ingest.check_sources([slug])


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
            plan = people_plan_requests.find_plan_request(session, id_)
            if plan is not None:
                site_url, now = settings.site_url, clock()
                mail = plan_requests.decide_request(
                    session, plan, granted=False, reason=reason, site_url=site_url, now=now
                )
        if mail is None:
            with _moving(database, id_) as (session, request):
                catalog_requests.move_request(
                    session, request, RequestStatus.REJECTED, now=clock(), reason=reason
                )
        log.info("request moved", request=id_, status=RequestStatus.REJECTED.value)
        say(f"{id_} is rejected.")
        if mail is not None:
            plan_requests.send_decision(settings, mail)


@contextmanager
def _moving(
    database: databases.Database, id_: str
) -> Iterator[tuple[tables.Session, tables.SourceRequest]]:
    """Yield a request in a transaction of its own."""
    with database.write() as session:
        request = catalog_requests.find_request(session, id_)
        if request is None:
            raise CommandFailed(f"There is no request {id_}; see: changewire requests list")
        yield session, request


def _accept(
    session: tables.Session,
    request: tables.SourceRequest,
    wanted: catalog_requests.NewSource,
    *,
    now: datetime,
) -> None:
    """Add the source to the catalog and close the request. Raises Refused."""
    adapter_type, address = _chosen(request, wanted.offer)
    row = _row(request, wanted, adapter_type, address)
    _require_new(session, row, address)
    catalog_sources.save_sources(session, [row])
    catalog_requests.move_request(
        session, request, RequestStatus.ACCEPTED, now=now, slug=wanted.slug
    )


def _chosen(request: tables.SourceRequest, number: int) -> tuple[AdapterType, str]:
    """Return the adapter and the address of one of the offers that the check stored."""
    findings = request.findings
    offers = findings.get("offers") if isinstance(findings, dict) else None
    if not isinstance(offers, list):
        raise accounts.Refused(
            f"{request.id} was not checked yet; run: changewire requests check {request.id}"
        )
    if not offers:
        raise accounts.Refused(
            f"Nothing to follow was found for {request.id}; check it again later, or reject it."
        )
    offer = offers[number - 1] if number <= len(offers) else None
    if not isinstance(offer, dict):
        offered = counted(len(offers), "offer")
        raise accounts.Refused(
            f"There is no offer {number} among {offered}; choose one with --offer."
        )
    return AdapterType(str(offer["adapter_type"])), str(offer["address"])


def _row(
    request: tables.SourceRequest,
    wanted: catalog_requests.NewSource,
    adapter_type: AdapterType,
    address: str,
) -> catalog_rows.CatalogRow:
    """Return the new source as a row of a catalog; raise Refused if the row is invalid."""
    is_page = adapter_type is AdapterType.HTML
    changelog_url = wanted.changelog_url or request.url
    if adapter_type is AdapterType.GITHUB_RELEASES:
        changelog_url = address.removesuffix(".atom")
    row = catalog_rows.CatalogRow(
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
    rows, bad = catalog.read_catalog(catalog.as_csv([row]))
    if bad:
        raise accounts.Refused(" ".join(fault.reason for fault in bad))
    return rows[0]


def _site_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/"


def _require_new(session: tables.Session, row: catalog_rows.CatalogRow, address: str) -> None:
    if catalog_sources.ids_of(session, [row.slug]):
        raise accounts.Refused(f"The catalog has a source {row.slug} already; choose another slug.")
    slug = catalog_requests.source_at(session, {address})
    if slug is not None:
        raise accounts.Refused(f"The catalog follows this address already, as {slug}.")


def _cells(row: Mapping[str, Any]) -> list[str]:
    day, result = f"{row['created_at']:%Y-%m-%d}", row.get("slug") or row["reason"] or row["note"]
    wanted = row.get("url") or f"{row['plan']} plan for {row['account']}"
    addon = " with the Diff API" if row.get("diffs_addon") else ""
    return [row["id"], row["status"], day, f"{wanted}{addon}", result or ""]


def _plan_row(request: tables.PlanRequest) -> dict[str, Any]:
    granted = RequestStatus.ACCEPTED if request.granted else RequestStatus.REJECTED
    return {
        "id": people_plan_requests.plan_request_id(request),
        "status": RequestStatus.PENDING if request.decided_at is None else granted,
        "kind": "plan",
        "account": request.account.email,
        **record(request, "created_at plan diffs_addon note reason"),
    }


def _source_row(session: tables.Session, request: tables.SourceRequest) -> dict[str, Any]:
    steps = [
        {"at": step.at, "from": step.before, "to": step.after, "reason": step.reason}
        for step in catalog_requests.steps_of(session, request.id)
    ]
    names = "id status created_at url note slug reason findings"
    return record(request, names) | {"kind": "source", "steps": steps}
