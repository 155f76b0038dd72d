"""Accepting requests for sources."""

from datetime import datetime
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from ingest.catalog import as_csv, read_catalog
from openapi.text import counted
from openapi.vocabulary import AdapterType, RequestStatus
from storage.catalog.requests import NewSource, RequestRefused, move_request, source_at
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import ids_of, save_sources
from storage.models import SourceRequest


def accept_request(
    session: Session, request: SourceRequest, wanted: NewSource, *, now: datetime
) -> None:
    """Add the source to the catalog and close the request. Raises RequestRefused, WrongStep."""
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
        raise RequestRefused(
            f"{request.id} was not checked yet; run: changewire requests check {request.id}"
        )
    if not offers:
        raise RequestRefused(
            f"Nothing to follow was found for {request.id}; check it again later, or reject it."
        )
    offer = offers[number - 1] if number <= len(offers) else None
    if not isinstance(offer, dict):
        offered = counted(len(offers), "offer")
        raise RequestRefused(
            f"There is no offer {number} among {offered}; choose one with --offer."
        )
    return AdapterType(str(offer["adapter_type"])), str(offer["address"])


def _row(
    request: SourceRequest, wanted: NewSource, adapter_type: AdapterType, address: str
) -> CatalogRow:
    """Return the new source as a row of a catalog; raise RequestRefused if the row is invalid."""
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
        raise RequestRefused(" ".join(fault.reason for fault in bad))
    return rows[0]


def _site_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}/"


def _require_new(session: Session, row: CatalogRow, address: str) -> None:
    if ids_of(session, [row.slug]):
        raise RequestRefused(f"The catalog has a source {row.slug} already; choose another slug.")
    slug = source_at(session, {address})
    if slug is not None:
        raise RequestRefused(f"The catalog follows this address already, as {slug}.")
