"""Feeds with entries in them."""

from datetime import date, timedelta

import pytest
from filling import important

from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord


@pytest.fixture
def site(pages):
    """A client of the pages."""
    return pages.test_client()


WHY = important("security", text="h")
REMOVAL = DeadlineRecord(DeadlineKind.REMOVAL, date(2027, 3, 1), date(2027, 3, 1), "It goes.")


@pytest.fixture
def three(catalog, publish):
    """An entry of each of three sources, two of them important, with a deadline each."""
    hour = timedelta(hours=1)
    publish("acme.mail", important=WHY, hole=hour, deadlines=(REMOVAL,))
    publish("acme.compute", other=hour, deadlines=(REMOVAL,))
    publish("globex.mail", important=WHY, third=hour, deadlines=(REMOVAL,))


@pytest.fixture
def served(site, show):
    """Serve an entry with everything that is hard to carry: ``served(path)``, its bytes."""
    show(
        "Größere Änderung & more: 1 < 2",
        "## Added\n\n- Tea & coffee\n- A <b>bold</b> tag\n\nThat is all.",
        external_id="tag:acme.example,2026:1",
        url="https://acme.example/1?a=1&b=2",
        categories=["breaking"],
    )
    return lambda path: site.get(path).data
