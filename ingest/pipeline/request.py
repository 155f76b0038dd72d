"""The requests of a check: for a feed, a page, or the releases API of GitHub."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final
from urllib.parse import quote

from changelog_reader.adapters import PARSER_VERSION
from changelog_reader.content.urls import safe_url
from ingest.fetching.client import ACCEPT, MARKDOWN_FIRST
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import (
    BEGINNING_BYTES,
    END_BYTES,
    Failed,
    Failure,
    Fetched,
    NotModified,
    Outcome,
    Validators,
)
from ingest.fetching.robots import refusal, robots_address, robots_of
from ingest.pipeline.ingestion import Ingestion
from ingest.pipeline.source_state import SourceToCheck, needs_whole_document
from openapi.vocabulary import AdapterType
from outbound.guard import AddressRefused

PARSER: Final = str(PARSER_VERSION)
PER_PAGE: Final = 100  # the most that GitHub gives
_RELEASES: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/releases\.atom")
_ITEM: Final = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]", re.IGNORECASE)
_LINK: Final = re.compile(rb"<(?:\w{1,20}:)?link\s([^<>]{1,2000})>", re.IGNORECASE)
_REL: Final = re.compile(rb"""\brel\s*=\s*["']([\w -]{1,100})["']""", re.IGNORECASE)
_HREF: Final = re.compile(rb"""\bhref\s*=\s*["']([^"'<>]{1,2000})["']""", re.IGNORECASE)
_REFUSALS: Final = frozenset({Failure.RATE_LIMITED, Failure.FORBIDDEN, Failure.UNAUTHORIZED})


def request(ingestion: Ingestion, source: SourceToCheck, *, now: datetime) -> Outcome:
    """Fetch the document of a source, unless the site's robots.txt forbids it.

    One that was parsed before is as if the vendor had said so. It is also fetched without a change
    where the whole document is needed: for its links to older pages, or for what is still looked
    for of its entries.
    """
    needs_document = needs_whole_document(ingestion.db, source, now=now)
    state = source.state
    # a newer parser has to parse anew
    validators = state.validators if state.parser_version == PARSER else None
    outcome = _respond(ingestion, source, validators, now=now)
    if needs_document and isinstance(outcome, NotModified):
        again = _respond(ingestion, source, None, now=now)
        if isinstance(again, Fetched) and not replaces_api(ingestion, source, again):
            outcome = again
    if not isinstance(outcome, Fetched) or needs_document:
        return outcome
    if (outcome.body_hash, PARSER) == (state.body_hash, state.parser_version):
        return NotModified(outcome.validators, outcome.freshness, outcome.permanent_address)
    return outcome


def _respond(
    ingestion: Ingestion, source: SourceToCheck, validators: Validators | None, *, now: datetime
) -> Outcome:
    """Ask GitHub's API if that is possible, else the source's own address."""
    repository = _repository(ingestion, source)
    if repository is not None:
        outcome = request_releases(ingestion, repository, validators=validators, now=now)
        if isinstance(outcome, Fetched) and outcome.body.strip() == b"[]":
            outcome = None  # no releases: the feed has the tags
        if isinstance(outcome, Fetched | NotModified):
            return replace(outcome, permanent_address=None)
        if isinstance(outcome, Failed) and outcome.failure not in _REFUSALS:
            return outcome
    accept = MARKDOWN_FIRST if source.adapter_type is AdapterType.HTML else None
    outcome = ask(
        ingestion, source.adapter_type, source.state.feed_url, validators, now=now, accept=accept
    )
    if repository is not None and isinstance(outcome, Fetched):  # keep the validators of the API
        outcome = replace(outcome, validators=source.state.validators, permanent_address=None)
    return outcome


def replaces_api(ingestion: Ingestion, source: SourceToCheck, fetched: Fetched) -> bool:
    """Return whether a document is the Atom feed of a repository, in place of GitHub's API."""
    is_of_api = fetched.address.startswith(f"{ingestion.github_api}/")
    return not is_of_api and _repository(ingestion, source) is not None


def ask(
    ingestion: Ingestion,
    kind: AdapterType,
    address: str,
    validators: Validators | None = None,
    *,
    now: datetime,
    accept: str | None = None,
) -> Outcome:
    """Fetch an address, unless it is a page that robots.txt does not allow.

    Feeds and APIs are allowed. ``accept`` are other media types than those of the kind.
    """
    if kind is AdapterType.HTML:
        try:
            site = robots_address(address)
        except AddressRefused as error:
            return Failed(Failure.ADDRESS_REFUSED, message=str(error))
        cached = ingestion.robots.get(site)
        rules = robots_of(ingestion.client, address, cached=cached, now=now)
        ingestion.robots[site] = rules
        forbidden = refusal(rules, address, now=now)
        if forbidden is not None:
            return forbidden
    accept = accept or ACCEPT[kind]
    return fetch(ingestion.client, address, now=now, accept=accept, validators=validators)


def request_older(
    ingestion: Ingestion,
    source: SourceToCheck,
    newer: Fetched,
    *,
    page: int,
    entries: int,
    now: datetime,
) -> Outcome | None:
    """Fetch the page with the entries before those of ``newer``; None if the vendor has none.

    ``page`` is the number of the page to fetch, the document itself being 1; ``entries`` is
    how many the newer page held.
    """
    repository = _repository(ingestion, source)
    if repository is None:
        address = older_page(newer.body, address=newer.address)
        if address is None or source.adapter_type is AdapterType.HTML:
            return None
        return ask(ingestion, source.adapter_type, address, now=now)
    older = None
    if not replaces_api(ingestion, source, newer):
        if entries < PER_PAGE:
            return None
        older = request_releases(ingestion, repository, page=page, now=now)
    return older or Failed(Failure.RATE_LIMITED, message="GitHub's API is temporarily unavailable.")


def request_releases(
    ingestion: Ingestion,
    repository: str,
    *,
    now: datetime,
    page: int = 1,
    validators: Validators | None = None,
) -> Outcome | None:
    """Fetch a page of a repository's releases from GitHub's API; None where it cannot be used."""
    token = ingestion.github_token
    if token is None or not ingestion.may_call_github(now=now):
        return None
    address = f"{ingestion.github_api}/repos/{repository}/releases?per_page={PER_PAGE}"
    outcome = fetch(
        ingestion.client,
        address if page == 1 else f"{address}&page={page}",
        now=now,
        accept="application/vnd.github+json",
        validators=validators,
        headers=(
            (b"Authorization", f"Bearer {token}".encode("ascii")),
            (b"X-GitHub-Api-Version", b"2022-11-28"),
        ),
    )
    if isinstance(outcome, Failed) and outcome.failure in _REFUSALS:
        ingestion.stop_calling_github(outcome, now=now)
    return outcome


def request_tags(
    ingestion: Ingestion, repository: str, *, after: str | None, now: datetime
) -> Outcome:
    """Fetch the feed of a repository's tags, from the one below ``after`` on."""
    address = f"{ingestion.github_site}/{repository}/tags.atom"
    if after is not None:
        address = f"{address}?after={quote(after, safe='')}"
    return ask(ingestion, AdapterType.GITHUB_RELEASES, address, now=now)


def _repository(ingestion: Ingestion, source: SourceToCheck) -> str | None:
    """Return the repository of a source to ask the API for; None without a token or repository."""
    feed = _RELEASES.fullmatch(source.state.feed_url)
    is_asked = (
        ingestion.github_token is not None and source.adapter_type is AdapterType.GITHUB_RELEASES
    )
    return feed[1] if is_asked and feed is not None else None


def older_page(body: bytes, *, address: str) -> str | None:
    """Return the address of the page with the next older entries, None if the feed names none.

    These are the links ``next`` of a paged feed and ``prev-archive`` of an archived one
    (RFC 5005 §3 and §4), at the head of the feed or at its end.
    """
    head = _head_of(body)
    by_rel: dict[bytes, str] = {}
    for words, url in (
        *_links_in(head, base=address),
        *_links_in(body[max(len(head), len(body) - END_BYTES) :], base=address),
    ):
        for word in words:
            if url != address:
                by_rel.setdefault(word, url)
    return by_rel.get(b"prev-archive") or by_rel.get(b"next")


def _head_of(body: bytes) -> bytes:
    """Return what is before the first item of a feed."""
    first_item = _ITEM.search(body, 0, BEGINNING_BYTES)
    return body[: first_item.start() if first_item else BEGINNING_BYTES]


def _links_in(markup: bytes, *, base: str) -> Iterator[tuple[list[bytes], str]]:
    """Yield the links of a piece of a feed: the words of their relation, and where they lead."""
    for link in _LINK.finditer(markup):
        rel, href = _REL.search(link[1]), _HREF.search(link[1])
        if rel is None or href is None:
            continue
        url = safe_url(href[1].decode("utf-8", "replace").replace("&amp;", "&"), base=base)
        if url is not None:
            yield rel[1].lower().split(), url
