"""What is asked of a vendor for one source, and of whom: the feed, the page or GitHub's API."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final

from ingest.adapters import PARSER_VERSION
from ingest.fetching.client import ACCEPT
from ingest.fetching.fetch import fetch
from ingest.fetching.outcomes import Failed, Failure, Fetched, Outcome
from ingest.fetching.pagination import older_page
from ingest.fetching.robots import refusal, robots_address, robots_of
from ingest.pipeline.ingestion import GithubApi, Ingestion
from ingest.pipeline.source_state import Job
from openapi.vocabulary import AdapterType

PARSER: Final = str(PARSER_VERSION)
PER_PAGE: Final = 100  # the most that GitHub gives
_RELEASES: Final = re.compile(r"https://github\.com/([^/]+/[^/]+)/releases\.atom")
_REFUSALS: Final = frozenset({Failure.RATE_LIMITED, Failure.FORBIDDEN, Failure.UNAUTHORIZED})


@dataclass(frozen=True, slots=True)
class Answer:
    """How asking ended. ``stands_in``: the Atom feed answered in place of GitHub's API."""

    outcome: Outcome
    from_api: bool = False
    stands_in: bool = False


@dataclass(frozen=True, slots=True)
class _Question:
    address: str
    accept: str
    headers: Mapping[str, str] = field(default_factory=dict)


def asked(ingestion: Ingestion, job: Job, *, now: datetime) -> Answer:
    """Fetch the document, unless the site's rules for robots forbid it."""
    forbidden = forbidden_by_robots(ingestion, job.adapter_type, job.facts.feed_url, now=now)
    if forbidden is not None:
        return Answer(forbidden)
    question = _api_question(ingestion.github, job)
    if question is None:
        return Answer(_fetched(ingestion, job, _feed_question(job), now=now))
    if ingestion.quota.is_open(now=now):
        outcome = _fetched(ingestion, job, question, now=now)
        if not isinstance(outcome, Failed):
            return Answer(replace(outcome, permanent_address=None), from_api=True)
        if outcome.failure not in _REFUSALS:
            return Answer(outcome, from_api=True)
        ingestion.quota.refused(outcome, now=now)
    outcome = _fetched(ingestion, job, _feed_question(job), now=now)
    if isinstance(outcome, Fetched):  # the validators to keep are those of the API
        outcome = replace(outcome, validators=job.facts.validators, permanent_address=None)
    return Answer(outcome, stands_in=True)


def asked_anew(ingestion: Ingestion, job: Job, *, now: datetime) -> Answer | None:
    """Fetch a document that has not changed, for what it says about older pages.

    None if it does not come: that it has not changed is known, and nothing is wrong.
    """
    unknown = replace(job, facts=replace(job.facts, validators_url=None))
    answer = asked(ingestion, unknown, now=now)
    return answer if isinstance(answer.outcome, Fetched) and not answer.stands_in else None


def forbidden_by_robots(
    ingestion: Ingestion, adapter_type: AdapterType, address: str, *, now: datetime
) -> Failed | None:
    """Ask robots.txt about pages; feeds and APIs are made for programs."""
    if adapter_type is not AdapterType.HTML:
        return None
    site = robots_address(address)
    rules = robots_of(ingestion.client, address, known=ingestion.robots.get(site), now=now)
    ingestion.robots[site] = rules
    return refusal(rules, address, now=now)


def asked_older(
    ingestion: Ingestion, job: Job, newer: Fetched, *, page: int, entries: int, now: datetime
) -> Outcome | None:
    """Fetch the page with the entries before those of ``newer``; None if the vendor has none.

    ``page`` is the number of the page to fetch, the document itself being 1; ``entries`` is
    how many the newer page held.
    """
    question = _api_question(ingestion.github, job)
    if question is not None:
        is_api = newer.address.startswith(question.address.partition("?")[0])
        if not is_api or not ingestion.quota.is_open(now=now):
            return Failed(Failure.RATE_LIMITED, message="GitHub's API cannot be asked now.")
        if entries < PER_PAGE:
            return None
        question = replace(question, address=f"{question.address}&page={page}")
    else:
        address = older_page(newer.body, address=newer.address)
        if address is None or job.adapter_type is AdapterType.HTML:
            return None
        question = _Question(address, ACCEPT[job.adapter_type])
    return fetch(
        ingestion.client,
        question.address,
        now=now,
        accept=question.accept,
        headers=question.headers,
    )


def _fetched(ingestion: Ingestion, job: Job, question: _Question, *, now: datetime) -> Outcome:
    return fetch(
        ingestion.client,
        question.address,
        now=now,
        accept=question.accept,
        known=job.facts.validators_for(PARSER),
        headers=question.headers,
    )


def _feed_question(job: Job) -> _Question:
    return _Question(job.facts.feed_url, ACCEPT[job.adapter_type])


def _api_question(github: GithubApi | None, job: Job) -> _Question | None:
    """Return how to ask the releases API, None where there is no token or no repository."""
    feed = _RELEASES.fullmatch(job.facts.feed_url)
    if github is None or job.adapter_type is not AdapterType.GITHUB_RELEASES or feed is None:
        return None
    return _Question(
        address=f"{github.address}/repos/{feed[1]}/releases?per_page={PER_PAGE}",
        accept="application/vnd.github+json",
        headers={
            "Authorization": f"Bearer {github.token}",
            "X-GitHub-Api-Version": "2022-11-28",
        },
    )
