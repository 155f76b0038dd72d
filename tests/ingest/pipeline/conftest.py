"""The source that checks are tested with."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from specimen.checks import check_now
from sqlalchemy import select

from ingest.pipeline.ingestion import Ingestion
from openapi.vocabulary import AdapterType, Kind
from storage.catalog.rows import CatalogRow
from storage.catalog.sources import save_sources
from storage.models import Source


@pytest.fixture
def add_source(database, site) -> Callable[..., int]:
    """Add a source that is fetched from a path of the site; returns its id."""

    def add_source(
        path="/feed", adapter_type=AdapterType.RSS, *, homepage=None, feed=None, tags=("email",)
    ) -> int:
        row = CatalogRow(
            slug="acme.mail",
            vendor="acme",
            name="Acme Mail",
            kind=Kind.CHANGELOG,
            homepage=homepage,
            changelog_url=site.url(path),
            adapter_type=adapter_type,
            feed_url=feed or (None if adapter_type is AdapterType.HTML else site.url(path)),
            tags=tags,
        )
        with database.write() as session:
            save_sources(session, [row])
            return session.scalars(select(Source.id)).one()

    return add_source


@pytest.fixture
def check(site, database, make_client, parsers, now, add_source) -> Callable[..., object]:
    """Check a source some time from now: ``check(source_id, after=HOUR)``; else one at /feed."""
    ingestion = Ingestion(
        db=database,
        client=make_client(),
        parsers=parsers,
        now=lambda: now,
        github_site=site.url(""),
        github_api=site.url(""),
    )

    def check(source_id=None, *, after=timedelta(0), **changes):
        at = replace(ingestion, now=lambda: now + after, **changes)
        return check_now(at, source_id or add_source())

    return check
