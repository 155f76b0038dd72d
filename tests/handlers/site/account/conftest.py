"""A repository in the catalog, for pages where sources are chosen."""

import pytest
from filling import catalog_row

from openapi.vocabulary import AdapterType, Kind, Tier
from storage.catalog.sources import save_sources


@pytest.fixture
def tool(database, catalog):
    """A repository in the catalog, with another name."""
    row = catalog_row(
        "acme.tool",
        name="Tool <b>",
        kind=Kind.RELEASE_NOTES,
        changelog_url="https://github.com/Acme/Tool/releases",
        adapter_type=AdapterType.GITHUB_RELEASES,
        feed_url="https://github.com/Acme/Tool/releases.atom",
        tags=("databases",),
        tier=Tier.COMPONENT,
        aliases=("@acme/tool",),
    )
    with database.write() as session:
        save_sources(session, [row])
