"""changewire requests: list, check, accept and reject requests for new sources."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated
from urllib.parse import urlsplit

import structlog
import typer
from sqlalchemy.orm import Session

from ingest.catalog import CatalogRow, as_csv, read_catalog
from ingest.discovery.probe import probe
from openapi.counts import counted
from openapi.vocabulary import AdapterType, Json, Kind, RequestStatus
from service.clock import clock
from service.commands.ingest import ingest_slugs
from service.commands.inputs import CommandFailed, opened
from service.commands.output import AsJson, print_json, print_table, say
from service.commands.sources import show_probe
from service.ingestion import open_ingestion
from storage.catalog.requests import (
    WrongStep,
    find_request,
    list_requests,
    move_request,
    save_findings,
    source_at,
    steps_of,
)
from storage.catalog.sources import ids_of, save_sources
from storage.engine.database import Database
from storage.entries.documents import timestamp
from storage.models import SourceRequest

log = structlog.get_logger(__name__)

requests = typer.Typer(help="Requests for new sources.", no_args_is_help=True, add_completion=False)
Id = Annotated[str, typer.Argument(metavar="ID", help="The request's id.")]


@requests.command("list")
def requests_list(
    status: Annotated[RequestStatus | None, typer.Option(help="Only in this status.")] = None,
    *,
    json: AsJson = False,
) -> None:
    """List requests, oldest first. Example: changewire requests list --status pending"""
    with opened() as (_, database), database.read() as session:
        rows = [_as_json(session, request) for request in list_requests(session, status)]
    if json:
        print_json([*rows])
        return
    names = ("id", "status", "created_at", "url", "note", "slug", "reason")
    print_table(names, [[str(row[name] or "") for name in names] for row in rows])


@requests.command("check")
def requests_check(id_: Id, *, json: AsJson = False) -> None:
    """Find out what could be followed there. Example: changewire requests check req_…"""
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
    slug: Annotated[str, typer.Option(help="vendor.product, the new source's id.")],
    name: Annotated[str, typer.Option(help="The name a person would use.")],
    tag: Annotated[list[str], typer.Option(help="A canonical tag; one to five of them.")],
    vendor: Annotated[
        str | None, typer.Option(help="The vendor's identifier; else as in the slug.")
    ] = None,
    kind: Annotated[Kind, typer.Option(help="What the source publishes.")] = Kind.CHANGELOG,
    homepage: Annotated[str | None, typer.Option(help="The vendor's homepage.")] = None,
    changelog: Annotated[
        str | None,
        typer.Option(
            help="The page people read; else the requested address, unless that is a feed."
        ),
    ] = None,
    offer: Annotated[int, typer.Option(min=1, help="Which of the offers of the check.")] = 1,
    *,
    ingest: Annotated[bool, typer.Option("--ingest", help="Check the source at once.")] = False,
) -> None:
    """Accept a request: add the source to the catalog.

    Example: changewire requests accept req_… --slug acme.mail --name Mail --tag email
    """
    with opened() as (_, database), _moving(database, id_) as (session, request):
        adapter_type, address = _chosen(request, offer)
        row = _row(
            slug=slug,
            vendor=vendor or slug.partition(".")[0],
            name=name,
            kind=kind,
            homepage=homepage,
            changelog_url=changelog or request.url,
            adapter_type=adapter_type,
            address=address,
            tags=tuple(tag),
        )
        _require_new(session, row, address)
        save_sources(session, [row])
        move_request(session, request, RequestStatus.ACCEPTED, now=clock(), slug=slug)
    log.info("request moved", request=id_, status=RequestStatus.ACCEPTED.value, slug=slug)
    say(f"{id_} is accepted; the catalog has {slug}.")
    if ingest:
        ingest_slugs([slug])


@requests.command("reject")
def requests_reject(
    id_: Id, reason: Annotated[str, typer.Option(help="Why; for the record.")]
) -> None:
    """Decline a request. Example: changewire requests reject req_… --reason "none there\""""
    with opened() as (_, database), _moving(database, id_) as (session, request):
        move_request(session, request, RequestStatus.REJECTED, now=clock(), reason=reason)
    log.info("request moved", request=id_, status=RequestStatus.REJECTED.value)
    say(f"{id_} is rejected.")


@contextmanager
def _moving(database: Database, id_: str) -> Iterator[tuple[Session, SourceRequest]]:
    """Give a request in a transaction of its own; turn WrongStep into CommandFailed."""
    try:
        with database.write() as session:
            request = find_request(session, id_)
            if request is None:
                raise CommandFailed(f"There is no request {id_}; see: changewire requests list")
            yield session, request
    except WrongStep as error:
        raise CommandFailed(str(error)) from error


def _chosen(request: SourceRequest, number: int) -> tuple[AdapterType, str]:
    """Return the adapter and the address of one of the offers that the check stored."""
    findings = request.findings
    offers = findings.get("offers") if isinstance(findings, dict) else None
    if not isinstance(offers, list):
        raise CommandFailed(
            f"{request.id} was not checked yet; run: changewire requests check {request.id}"
        )
    if not offers:
        raise CommandFailed(
            f"Nothing to follow was found for {request.id}; check it again later, or reject it."
        )
    offer = offers[number - 1] if number <= len(offers) else None
    if not isinstance(offer, dict):
        offered = counted(len(offers), "offer")
        raise CommandFailed(f"There is no offer {number} among {offered}; choose one with --offer.")
    return AdapterType(str(offer["adapter_type"])), str(offer["address"])


def _row(
    *,
    slug: str,
    vendor: str,
    name: str,
    kind: Kind,
    homepage: str | None,
    changelog_url: str,
    adapter_type: AdapterType,
    address: str,
    tags: tuple[str, ...],
) -> CatalogRow:
    """Return the new source as a row of a catalog; raise CommandFailed if the row is invalid."""
    is_page = adapter_type is AdapterType.HTML
    if adapter_type is AdapterType.GITHUB_RELEASES:
        changelog_url = address.removesuffix(".atom")
    row = CatalogRow(
        slug=slug,
        vendor=vendor,
        name=name,
        kind=kind,
        homepage=homepage or _site_of(changelog_url),
        changelog_url=address if is_page else changelog_url,
        adapter_type=adapter_type,
        feed_url=None if is_page else address,
        tags=tags,
    )
    rows, bad = read_catalog(as_csv([row]))
    if bad:
        raise CommandFailed(" ".join(fault.reason for fault in bad))
    return rows[0]


def _site_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/"


def _require_new(session: Session, row: CatalogRow, address: str) -> None:
    if ids_of(session, [row.slug]):
        raise CommandFailed(f"The catalog has a source {row.slug} already; choose another slug.")
    slug = source_at(session, {address})
    if slug is not None:
        raise CommandFailed(f"The catalog follows this address already, as {slug}.")


def _as_json(session: Session, request: SourceRequest) -> dict[str, Json]:
    steps: list[Json] = [
        {
            "at": timestamp(step.at.replace(microsecond=0)),
            "from": step.before.value,
            "to": step.after.value,
            "reason": step.reason,
        }
        for step in steps_of(session, request.id)
    ]
    return {
        "id": request.id,
        "status": request.status.value,
        "created_at": timestamp(request.created_at.replace(microsecond=0)),
        "url": request.url,
        "note": request.note,
        "slug": request.slug,
        "reason": request.reason,
        "findings": request.findings,
        "steps": steps,
    }
