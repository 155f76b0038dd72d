"""Feeds read in both ways: by the fast reader, and by feedparser alone."""

import pytest

from ingest.adapters.fast_feed import reader


@pytest.fixture(scope="module", params=[True, False], ids=["fast reader", "feedparser alone"])
def both_readers(request):
    """Run a module's tests with the fast reader on and off."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "ENABLED", request.param)
        yield
