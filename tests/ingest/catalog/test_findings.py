"""What an answer says about an address."""

import pytest

from ingest.catalog.findings import finding_of
from ingest.fetching.outcomes import Failed, Failure, Fetched, NotModified, Validators
from openapi.vocabulary import AddressStatus

HERE = "https://acme.example/feed"
THERE = "https://acme.example/new"


def fetched(permanent_address=None):
    return Fetched(b"x", None, THERE, permanent_address=permanent_address)


@pytest.mark.parametrize(
    ("outcome", "status", "moved_to"),
    [
        (fetched(), AddressStatus.CONFIRMED, None),
        (fetched(HERE), AddressStatus.CONFIRMED, None),
        (fetched(THERE), AddressStatus.MOVED, THERE),
        (NotModified(Validators(HERE, etag='"1"')), AddressStatus.CONFIRMED, None),
    ],
)
def test_an_answer_confirms_or_says_where_to(outcome, status, moved_to):
    finding = finding_of(outcome, HERE)

    assert (finding.status, finding.moved_to) == (status, moved_to)


@pytest.mark.parametrize("failure", Failure)
def test_only_what_is_for_good_is_gone(failure):
    gone = failure in {Failure.GONE, Failure.NOT_FOUND, Failure.DNS}

    finding = finding_of(Failed(failure, message="why"), HERE)

    assert finding.status == (AddressStatus.GONE if gone else None)
    assert finding.reason == "why"
