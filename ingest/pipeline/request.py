"""The request for a source's document: its feed, its page, or the releases API of GitHub."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final
from urllib.parse import quote

from changelog_reader.adapters import PARSER_VERSION
from changelog_reader.content.repositories import Repository
from ingest.fetching.client import ACCEPT
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Outcome, Validators
from ingest.fetching.pagination import older_page
from ingest.fetching.robots import refusal, robots_address, robots_of
from ingest.pipeline.ingestion import GithubApi, Ingestion
from ingest.pipeline.source_state import LeasedSource
from ingest.scheduling.fetch_state import Unchanged
from openapi.vocabulary import AdapterType

PARSER: Final = str(PARSER_VERSION)
PER_PAGE: Final = 100  # the most that GitHub gives
_RELEASES: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/releases\.atom")
_REFUSALS: Final = frozenset({Failure.RATE_LIMITED, Failure.FORBIDDEN, Failure.UNAUTHORIZED})


@dataclass(frozen=True, slots=True)
class FetchedDocument:
    """A document that was fetched and has to be parsed.

    ``body_hash`` is the SHA-256 of its bytes in hex. ``is_fallback``: it is the Atom feed of a
    repository, in place of GitHub's API.
    """

    fetched: Fetched
    body_hash: str
    is_fallback: bool = False

    def shortened(self) -> "FetchedDocument":
        """Return this without the middle of its body."""
        return replace(self, fetched=self.fetched.shortened())


@dataclass(frozen=True, slots=True)
class _Request:
    address: str
    accept: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Response:
    outcome: Outcome
    is_fallback: bool = False


def request(
    ingestion: Ingestion, source: LeasedSource, *, needs_document: bool, now: datetime
) -> FetchedDocument | Unchanged | NotModified | Failed:
    """Fetch the document of a source, unless the site's robots.txt forbids it.

    ``needs_document``: the document is fetched and parsed even if it has not changed, for its links
    to older pages.
    """
    validators = source.state.validators_for(PARSER)
    response = _respond(ingestion, source, validators, now=now)
    if needs_document and isinstance(response.outcome, NotModified):
        again = _respond(ingestion, source, None, now=now)
        if isinstance(again.outcome, Fetched) and not again.is_fallback:
            response = again
    outcome = response.outcome
    if not isinstance(outcome, Fetched):
        return outcome
    body_hash = hashlib.sha256(outcome.body).hexdigest()
    if source.state.has_parsed(body_hash, PARSER) and not needs_document:
        return Unchanged(outcome.shortened())
    return FetchedDocument(outcome, body_hash, response.is_fallback)


def _respond(
    ingestion: Ingestion, source: LeasedSource, validators: Validators | None, *, now: datetime
) -> _Response:
    """Send the request to GitHub's API if that is possible, else to the source's own address."""
    address, kind = source.state.feed_url, source.adapter_type
    forbidden = forbidden_by_robots(ingestion, kind, address, now=now)
    if forbidden is not None:
        return _Response(forbidden)
    own = _Request(address, ACCEPT[kind])
    releases = _releases_request(ingestion.github, source)
    if releases is None:
        return _Response(_fetch(ingestion, own, validators, now=now))
    if ingestion.may_call_github(now=now):
        outcome = _fetch(ingestion, releases, validators, now=now)
        if not isinstance(outcome, Failed):
            return _Response(replace(outcome, permanent_address=None))
        if outcome.failure not in _REFUSALS:
            return _Response(outcome)
        ingestion.stop_calling_github(outcome, now=now)
    outcome = _fetch(ingestion, own, validators, now=now)
    if isinstance(outcome, Fetched):  # the validators to keep are those of the API
        outcome = replace(outcome, validators=source.state.validators, permanent_address=None)
    return _Response(outcome, is_fallback=True)


def forbidden_by_robots(
    ingestion: Ingestion, adapter_type: AdapterType, address: str, *, now: datetime
) -> Failed | None:
    """Return the failure of a page that robots.txt does not allow; feeds and APIs are allowed."""
    if adapter_type is not AdapterType.HTML:
        return None
    site = robots_address(address)
    rules = robots_of(ingestion.client, address, cached=ingestion.robots.get(site), now=now)
    ingestion.robots[site] = rules
    return refusal(rules, address, now=now)


def request_older(
    ingestion: Ingestion,
    source: LeasedSource,
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
    releases = _releases_request(ingestion.github, source)
    if releases is not None:
        is_api = newer.address.startswith(releases.address.partition("?")[0])
        if not is_api or not ingestion.may_call_github(now=now):
            return Failed(Failure.RATE_LIMITED, message="GitHub's API cannot be used now.")
        if entries < PER_PAGE:
            return None
        releases = replace(releases, address=f"{releases.address}&page={page}")
        return _fetch(ingestion, releases, None, now=now)
    address = older_page(newer.body, address=newer.address)
    if address is None or source.adapter_type is AdapterType.HTML:
        return None
    return _fetch(ingestion, _Request(address, ACCEPT[source.adapter_type]), None, now=now)


def _fetch(
    ingestion: Ingestion, request: _Request, validators: Validators | None, *, now: datetime
) -> Outcome:
    return fetch(
        ingestion.client,
        request.address,
        now=now,
        accept=request.accept,
        validators=validators,
        headers=request.headers,
    )


def request_releases(
    ingestion: Ingestion, repository: Repository, *, page: int, now: datetime
) -> Outcome | None:
    """Fetch a page of a repository's releases from GitHub's API; None where it cannot be used."""
    if ingestion.github is None or not ingestion.may_call_github(now=now):
        return None
    releases = _api_request(ingestion.github, repository.slug)
    releases = replace(releases, address=f"{releases.address}&page={page}")
    outcome = _fetch(ingestion, releases, None, now=now)
    if isinstance(outcome, Failed) and outcome.failure in _REFUSALS:
        ingestion.stop_calling_github(outcome, now=now)
    return outcome


def request_tags(
    ingestion: Ingestion, repository: Repository, *, after: str | None, now: datetime
) -> Outcome:
    """Fetch the feed of a repository's tags, from the one below ``after`` on."""
    address = f"{ingestion.github_site}/{repository.slug}/tags.atom"
    if after is not None:
        address = f"{address}?after={quote(after, safe='')}"
    accept = ACCEPT[AdapterType.GITHUB_RELEASES]
    return _fetch(ingestion, _Request(address, accept), None, now=now)


def _releases_request(github: GithubApi | None, source: LeasedSource) -> _Request | None:
    """Return the request for the releases API; None where there is no token or no repository."""
    feed = _RELEASES.fullmatch(source.state.feed_url)
    if github is None or source.adapter_type is not AdapterType.GITHUB_RELEASES or feed is None:
        return None
    return _api_request(github, feed[1])


def _api_request(github: GithubApi, repository: str) -> _Request:
    return _Request(
        address=f"{github.address}/repos/{repository}/releases?per_page={PER_PAGE}",
        accept="application/vnd.github+json",
        headers={
            "Authorization": f"Bearer {github.token}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
