"""What the public sees of the catalog (specification 4.1)."""

from conformance.checks.probe import Audience, Probe, check
from openapi.vocabulary import Health

_ILL = {Health.DEGRADED, Health.PROBLEMATIC}
_OF_THE_CATALOG = {"changelogUrl", "adapterType", "tags", "lastFetchedAt", "healthMessage"}
_OPERATION = "GET /sources"


@check(
    "specification 4.1",
    "Returns a public sample of at most 5 sources.",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_of_at_most_five(probe: Probe) -> None:
    for params in ("", "limit=100", "limit=100&offset=5", "selected=1", "q=a"):
        response = probe.get("/sources", params, status=None)
        probe.expect(len(response.items) <= 5, response, f"gave {len(response.items)} sources")
    plain = probe.get("/sources")
    shown = bool(plain.items) or plain.field("total") == 0
    probe.expect(shown, plain, "gave no source, although there are some")


@check(
    "specification 4.1",
    "sample (boolean, true), limit (integer, 5), offset (integer, 0), hint (string, tells the "
    "caller to sign up for a key), agent (string, a message saying the JSON is a sample and not "
    "the catalog, and that feed addresses must not be invented).",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_says_that_it_is_one(probe: Probe) -> None:
    response = probe.get("/sources")
    for name, value in (("sample", True), ("limit", 5), ("offset", 0)):
        actual = response.field(name)
        right = actual == value and isinstance(actual, bool) == isinstance(value, bool)
        probe.expect(right, response, f"has {name} {actual!r} instead of {value!r}")
    for name in ("hint", "agent"):
        text = response.field(name)
        probe.expect(isinstance(text, str) and bool(text), response, f"has no {name}")


@check(
    "docs/decisions/0006",
    "hint names the key, agent the sample and the feed addresses.",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_says_it_in_these_words(probe: Probe) -> None:
    response = probe.get("/sources")
    hint, agent = str(response.field("hint")).lower(), str(response.field("agent")).lower()
    probe.expect("key" in hint, response, "has no hint at a key")
    warns = "sample" in agent and "feed" in agent
    probe.expect(warns, response, "does not tell agents of the sample and of feed addresses")


@check(
    "specification 2.2",
    "The sample item carries no changelogUrl, no feed address, no adapterType and no tags.",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_items_have_basic_fields_only(probe: Probe) -> None:
    response = probe.get("/sources")
    for item in response.items:
        extra = sorted(item.keys() & _OF_THE_CATALOG)
        probe.expect(not extra, response, f"shows {', '.join(extra)} of {item.get('slug')}")


@check(
    "specification 4.1",
    "total (integer, size of the whole catalog).",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_total_is_the_whole_catalog(probe: Probe) -> None:
    keyed = probe.needs([caller for caller in probe.callers if caller.key], "no key was given")
    response = probe.get("/sources")
    catalog_total = probe.get("/sources", {"limit": 1}, caller=keyed[0]).field("total")
    total = response.field("total")
    probe.expect(
        total == catalog_total, response, f"has the total {total}, the catalog has {catalog_total}"
    )


@check(
    "specification 4.1",
    "The query filters below apply to authenticated calls only.",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_is_not_filtered(probe: Probe) -> None:
    plain = probe.get("/sources")
    stable = plain.items == probe.get("/sources").items  # it need not be
    for params in ("vendor=nobody", "q=nothing-is-called-this", "adapterType=html", "kind=blog"):
        response = probe.get("/sources", params)
        same = response.items == plain.items or not stable
        probe.expect(same, response, "gave another sample than without it")
        shown = len(response.items) == len(plain.items)
        probe.expect(shown, response, "gave a smaller sample than without it")


@check(
    "docs/decisions/0006",
    "The sample is deterministic and stable from call to call, with distinct vendors.",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_is_stable(probe: Probe) -> None:
    first, second = probe.get("/sources"), probe.get("/sources")
    probe.expect(first.items == second.items, second, "gave another sample than before")
    vendors = [item.get("vendor") for item in first.items]
    probe.expect(len(set(vendors)) == len(vendors), first, "has a vendor twice")


@check(
    "docs/decisions/0006",
    "The sample: distinct vendors, healthy first.",
    operation=_OPERATION,
    audience=Audience.PUBLIC,
)
def sample_is_of_healthy_sources(probe: Probe) -> None:
    keyed = probe.needs([caller for caller in probe.callers if caller.key], "no key was given")
    catalog = probe.get("/sources", {"limit": 100}, caller=keyed[0]).items
    well = {item["vendor"] for item in catalog if item.get("health") in ("healthy", "ok")}
    probe.needs(len(well) >= 5, "fewer than five vendors are well")
    response = probe.get("/sources")
    ill = [item["slug"] for item in response.items if item.get("health") in _ILL]
    # health is told as it is now, the sample was chosen by what it was a while ago
    probe.expect(len(ill) <= 2, response, f"shows {', '.join(ill)}, which are not well")
