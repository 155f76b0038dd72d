"""Structured changes of a source (specification 4.4)."""

import pytest

from conformance.callers import SLOTS
from conformance.probe import Probe, expect


@pytest.mark.origin("specification 4.4")
def test_diffs_need_the_add_on(holder: Probe) -> None:
    """The Diff API add-on, which itself requires the All plan. Errors: 402 (add-on required)."""
    response = holder.get("/diffs", {"source": holder.caller.any_source}, status=None)
    if holder.caller.reads_diffs:
        smaller = holder.caller.plan in SLOTS
        expect(not smaller, response, f"gave diffs to the {holder.caller.plan} plan")
    else:
        expect(response.status in (402, 403), response, f"answered {response.status}")


@pytest.mark.origin("specification 4.4")
def test_diffs_need_a_source(holder: Probe) -> None:
    """source: string, required."""
    response = holder.get("/diffs", status=None)
    # whoever lacks the add-on may be told of that first
    allowed = (400,) if holder.caller.reads_diffs else (400, 402, 403)
    expect(response.status in allowed, response, f"answered {response.status}")


@pytest.mark.origin("specification 4.4")
def test_diffs_are_an_object(diff_reader: Probe) -> None:
    """Response 200: a JSON object holding structured before/after changes between snapshots of the
    source."""
    sources = diff_reader.needs(diff_reader.caller.sources, "no source is selected for the key")
    for source in sources[:5]:
        response = diff_reader.get("/diffs", {"source": source})
        expect(isinstance(response.json, dict), response, "is no object")
