"""Requests that no client library would send."""

import pytest

from conformance.probe import Probe
from conformance.raw_requests import REQUESTS, RawRequest, faults_of


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(raw, id=raw.name, marks=pytest.mark.origin(raw.demanded_by.partition(":")[0]))
        for raw in REQUESTS
    ],
)
def test_a_raw_request_is_answered(public: Probe, raw: RawRequest) -> None:
    """Valid HTTP gets a response, and anything else ends without a hang."""
    faults = faults_of(raw, public.site, only_specification=public.only_specification)
    assert not faults, faults
