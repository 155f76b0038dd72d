"""The public part of the catalog (specification 4.1)."""

import pytest

from conformance.probe import Probe, expect


@pytest.mark.origin("specification 4.1")
def test_sample_is_of_at_most_five_sources(public: Probe) -> None:
    """Returns a public sample of at most 5 sources. The query filters below apply to authenticated
    calls only."""
    plain = public.get("/sources")
    expect(bool(plain.items) or plain.total == 0, plain, "gave no source, although there are some")
    stable = plain.items == public.get("/sources").items  # it need not be
    for params in ("limit=100", "offset=5", "selected=1", "vendor=nobody", "q=nothing-is-so-called",
                   "adapterType=html", "kind=blog"):  # fmt: skip
        response = public.get("/sources", params)
        expect(len(response.items) <= 5, response, f"gave {len(response.items)} sources")
        same = response.items == plain.items or not stable
        same = same and len(response.items) == len(plain.items)
        expect(same, response, "gave another sample than without it")


@pytest.mark.origin("specification 4.1")
def test_sample_says_that_it_is_one(public: Probe) -> None:
    """sample (boolean, true), total (integer, size of the whole catalog), limit (integer, 5),
    offset (integer, 0), hint (string, tells the caller to sign up for a key), agent (string, a
    message saying the JSON is a sample and not the catalog, and that feed addresses must not be
    invented)."""
    response = public.get("/sources")
    for name, value in (("sample", True), ("limit", 5), ("offset", 0)):
        actual = response.field(name)
        right = actual == value and isinstance(actual, bool) == isinstance(value, bool)
        expect(right, response, f"has {name} {actual!r} instead of {value!r}")
    for name in ("hint", "agent"):
        text = response.field(name)
        expect(isinstance(text, str) and bool(text), response, f"has no {name}")
    for caller in [caller for caller in public.callers if caller.key][:1]:
        catalog = public.get("/sources", {"limit": 1}, caller=caller).total
        same = response.total == catalog
        expect(same, response, f"has the total {response.total}, the catalog has {catalog}")
