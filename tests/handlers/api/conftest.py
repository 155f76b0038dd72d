"""What happens to catalogs and accounts while they are asked about."""

import pytest
from sqlalchemy import update

from openapi.vocabulary import Plan
from storage.catalog.removal import remove_sources
from storage.catalog.sources import ids_of
from storage.models import Account


@pytest.fixture
def remove(database, now):
    """Take a source out of the catalog: ``remove(slug)``."""

    def remove(slug):
        with database.write() as session:
            remove_sources(session, ids_of(session, [slug]).values(), now=now)

    return remove


@pytest.fixture
def downgrade(database):
    """Put every account on the free plan."""

    def downgrade():
        with database.write() as session:
            session.execute(update(Account).values(plan=Plan.FREE))

    return downgrade
