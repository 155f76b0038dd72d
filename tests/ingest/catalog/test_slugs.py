"""The catalog takes exactly the slugs that the contract lets callers send."""

from ingest.catalog.rows import SLUG, SLUG_LIMIT
from openapi.contract import load_contract


def test_the_catalog_and_the_contract_have_one_idea_of_a_slug():
    slug = load_contract()["components"]["schemas"]["Slug"]

    assert slug["pattern"] == f"^{SLUG.pattern}$"
    assert slug["maxLength"] == SLUG_LIMIT
