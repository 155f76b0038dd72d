"""The public part of the catalog (specification 4.1)."""

import pytest

from conformance.probe import Probe, expect
from openapi.vocabulary import Health

_ILL = {Health.DEGRADED, Health.PROBLEMATIC}
_OF_THE_CATALOG = {"changelogUrl", "adapterType", "tags", "lastFetchedAt", "healthMessage"}


@pytest.mark.origin("specification 4.1")
def test_sample_of_at_most_five(public: Probe) -> None:
    """Returns a public sample of at most 5 sources."""
    for params in ("", "limit=100", "limit=100&offset=5", "selected=1", "q=a"):
        response = public.get("/sources", params, status=None)
        expect(len(response.items) <= 5, response, f"gave {len(response.items)} sources")
    plain = public.get("/sources")
    shown = bool(plain.items) or plain.field("total") == 0
    expect(shown, plain, "gave no source, although there are some")


@pytest.mark.origin("specification 4.1")
def test_sample_says_that_it_is_one(public: Probe) -> None:
    """sample (boolean, true), limit (integer, 5), offset (integer, 0), hint (string, tells the
    caller to sign up for a key), agent (string, a message saying the JSON is a sample and not
    the catalog, and that feed addresses must not be invented)."""
    response = public.get("/sources")
    for name, value in (("sample", True), ("limit", 5), ("offset", 0)):
        actual = response.field(name)
        right = actual == value and isinstance(actual, bool) == isinstance(value, bool)
        expect(right, response, f"has {name} {actual!r} instead of {value!r}")
    for name in ("hint", "agent"):
        text = response.field(name)
        expect(isinstance(text, str) and bool(text), response, f"has no {name}")


@pytest.mark.origin("docs/decisions/0006")
def test_sample_says_it_in_these_words(public: Probe) -> None:
    """hint names the key, agent the sample and the feed addresses."""
    response = public.get("/sources")
    hint, agent = str(response.field("hint")).lower(), str(response.field("agent")).lower()
    expect("key" in hint, response, "has no hint at a key")
    warns = "sample" in agent and "feed" in agent
    expect(warns, response, "does not tell agents of the sample and of feed addresses")


@pytest.mark.origin("specification 2.2")
def test_sample_items_have_basic_fields_only(public: Probe) -> None:
    """The sample item carries no changelogUrl, no feed address, no adapterType and no tags."""
    response = public.get("/sources")
    for item in response.items:
        extra = sorted(item.keys() & _OF_THE_CATALOG)
        expect(not extra, response, f"shows {', '.join(extra)} of {item.get('slug')}")


@pytest.mark.origin("specification 4.1")
def test_sample_total_is_the_whole_catalog(public: Probe) -> None:
    """total (integer, size of the whole catalog)."""
    keyed = public.needs([caller for caller in public.callers if caller.key], "no key was given")
    response = public.get("/sources")
    catalog_total = public.get("/sources", {"limit": 1}, caller=keyed[0]).field("total")
    total = response.field("total")
    expect(
        total == catalog_total, response, f"has the total {total}, the catalog has {catalog_total}"
    )


@pytest.mark.origin("specification 4.1")
def test_sample_is_not_filtered(public: Probe) -> None:
    """The query filters below apply to authenticated calls only."""
    plain = public.get("/sources")
    stable = plain.items == public.get("/sources").items  # it need not be
    for params in ("vendor=nobody", "q=nothing-is-called-this", "adapterType=html", "kind=blog"):
        response = public.get("/sources", params)
        same = response.items == plain.items or not stable
        expect(same, response, "gave another sample than without it")
        shown = len(response.items) == len(plain.items)
        expect(shown, response, "gave a smaller sample than without it")


@pytest.mark.origin("docs/decisions/0006")
def test_sample_is_stable(public: Probe) -> None:
    """The sample is deterministic and stable from call to call, with distinct vendors."""
    first, second = public.get("/sources"), public.get("/sources")
    expect(first.items == second.items, second, "gave another sample than before")
    vendors = [item.get("vendor") for item in first.items]
    expect(len(set(vendors)) == len(vendors), first, "has a vendor twice")


@pytest.mark.origin("docs/decisions/0006")
def test_sample_is_of_healthy_sources(public: Probe) -> None:
    """The sample: distinct vendors, healthy first."""
    keyed = public.needs([caller for caller in public.callers if caller.key], "no key was given")
    catalog = public.get("/sources", {"limit": 100}, caller=keyed[0]).items
    well = {item["vendor"] for item in catalog if item.get("health") in ("healthy", "ok")}
    public.needs(len(well) >= 5, "fewer than five vendors are well")
    response = public.get("/sources")
    ill = [item["slug"] for item in response.items if item.get("health") in _ILL]
    # health is told as it is now, the sample was chosen by what it was a while ago
    expect(len(ill) <= 2, response, f"shows {', '.join(ill)}, which are not well")
