"""The budget of a process, shared out among the sources of its catalog."""

from datetime import timedelta

import pytest
from sqlalchemy import select, update

from ingest.pipeline.ingestion import Pacing
from openapi.vocabulary import AdapterType, Kind, Plan
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.models import FetchFacts, Source
from storage.people.accounts import add_account
from storage.people.follows import follow_sources

HOUR = timedelta(hours=1)


def row(number):
    return CatalogRow(
        slug=f"acme.p{number}",
        vendor="acme",
        name=f"P{number}",
        kind=Kind.CHANGELOG,
        homepage=None,
        changelog_url=f"https://acme.example/{number}",
        adapter_type=AdapterType.RSS,
        feed_url=f"https://acme.example/{number}.xml",
        tags=(),
    )


@pytest.fixture
def catalog(database):
    with database.write() as session:
        save_sources(session, [row(number) for number in range(4)])
        session.execute(update(FetchFacts).values(pull=0.5))
    return database


def test_the_budget_decides_how_long_sources_wait(catalog, now):
    usual = Pacing(6).allotment(catalog, now=now).usual

    assert usual / 0.5 / HOUR == pytest.approx(24 / 6 / 1.05, rel=1e-3)


def test_the_budget_is_shared_out_anew_after_an_hour(catalog, now):
    pacing = Pacing(6)
    before = pacing.allotment(catalog, now=now)
    with catalog.write() as session:
        session.execute(update(FetchFacts).values(pull=1.0))

    assert pacing.allotment(catalog, now=now + 0.9 * HOUR) is before
    after = pacing.allotment(catalog, now=now + HOUR)
    assert after.usual / before.usual == pytest.approx(2, rel=1e-3)


def test_a_clock_that_was_put_back_does_not_stop_that(catalog, now):
    pacing = Pacing()
    before = pacing.allotment(catalog, now=now)

    assert pacing.allotment(catalog, now=now - HOUR) is not before


def test_accounts_that_follow_a_source_count(catalog, now):
    with catalog.write() as session:
        ids = list(session.scalars(select(Source.id).order_by(Source.slug)))
        for number in range(3):
            account = add_account(session, f"{number}@acme.example", now=now, plan=Plan.STARTER)
            follow_sources(session, account.id, [ids[0], ids[1 + number]], now=now)

    weights = Pacing().allotment(catalog, now=now).weights

    assert weights == {ids[0]: 2, **dict.fromkeys(ids[1:4], 2**0.5)}
