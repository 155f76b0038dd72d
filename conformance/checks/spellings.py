"""Parameters that may be written in several ways, all of which mean the same."""

from datetime import UTC, datetime, timedelta

from conformance.checks.paging import moment_of
from conformance.checks.probe import Audience, Probe, check

_OPERATION = "GET /entries"


@check(
    "docs/decisions/0002",
    "A list is separated by commas, or its parameter is repeated; both mean the same.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def lists_may_be_repeated(probe: Probe) -> None:
    sources = [str(source) for source in probe.caller.sources[:2]]
    probe.needs(len(sources) > 1, "the key reads one source only")
    joined = probe.get("/entries", f"sources={','.join(sources)}")
    repeated = probe.get("/entries", "&".join(f"sources={source}" for source in sources))
    probe.expect(joined.body == repeated.body, repeated, "gave another answer than with commas")
    etags = [response.headers.get("etag") for response in (joined, repeated)]
    probe.expect(len(set(etags)) == 1, repeated, "has another ETag than with commas")


@check(
    "docs/decisions/0002",
    "Times as clients print them: small letters, no seconds, no colon in the offset, second 60.",
    operation=_OPERATION,
    audience=Audience.READER,
)
def times_may_be_printed_in_other_ways(probe: Probe) -> None:
    source = probe.source()
    items = probe.get("/entries", {"sources": source, "limit": 100}).items
    middle = str(probe.needs(items, "no entries")[len(items) // 2]["published_at"])
    minute = moment_of(middle).astimezone(UTC).replace(second=0, microsecond=0)
    plain, *others = [
        probe.get("/entries", {"sources": source, "since": spelling})
        for spelling in _spellings(minute)
    ]
    total = plain.field("total")
    for response in others:
        same = response.field("total") == total
        probe.expect(same, response, f"has {response.field('total')} entries, not {total}")
    end = f"{minute - timedelta(minutes=1):%Y-%m-%dT%H:%M}:60Z"
    leap = probe.get("/entries", {"sources": source, "since": end})
    early = int(leap.field("total") or 0) >= int(total or 0)
    probe.expect(early, leap, f"has fewer entries than {total}, which come a moment later")


def _spellings(minute: datetime) -> list[str]:
    """Return an instant as several clients would print it."""
    return [
        f"{minute:%Y-%m-%dT%H:%M:%SZ}",
        f"{minute:%Y-%m-%dT%H:%MZ}",
        f"{minute:%Y-%m-%dt%H:%M:%Sz}",
        f"{minute:%Y-%m-%dT%H:%M:%S+0000}",
    ]
