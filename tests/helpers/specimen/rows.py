"""What is in the database of the specimen: sources, entries, diffs."""

import json
from datetime import date, datetime, timedelta
from typing import Any

from openapi.vocabulary import AdapterType, DeadlineKind, Kind
from storage.catalog.rows import CatalogRow, SeenPackage
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.documents import EntryText
from storage.entries.entry_writes import EntryRecord

VENDORS = (
    "acme", "globex", "initech", "umbrella", "hooli", "wonka", "stark", "wayne", "cyberdyne",
    "tyrell", "soylent", "aperture", "oscorp", "piedmont", "pied-piper", "dunder", "vandelay",
    "bluth", "prestige", "monarch",
)  # fmt: skip
"""Among them two that a dictionary puts in another order than their code points."""
PRODUCTS = ("compute", "storage", "mail")
SLUGS = tuple(f"{vendor}.{product}" for vendor in VENDORS for product in PRODUCTS)
PUBLISHING = SLUGS[:6]
"""Sources with entries; the first of them has diffs as well."""
PACKAGES = tuple(
    SeenPackage(SLUGS[0], f"pkg:github/{name}", "the contract's example")
    for name in ("acme/compute", "kubernetes/kubernetes")
)
"""What the sources are about."""
ENTRIES = 40
"""How many entries each of them has."""
MORE_SLUGS = tuple(f"vendor-{number:03}.compute" for number in range(200))
"""Sources of a larger catalog, besides those above."""
MORE_PUBLISHING = MORE_SLUGS[3::25]
"""Those of them with entries; the last has diffs."""
DIFFS = 3
_STATED = {"subject": "The interface", "versions": "vers:generic/<2", "successor": "Version 2"}
_SENTENCE = "Version {number} of the interface is removed. "


def source(slug: str) -> CatalogRow:
    """A row of the catalog."""
    vendor, _, product = slug.partition(".")
    of_mail = product == "mail"
    return CatalogRow(
        slug=slug,
        vendor=vendor,
        name="News of the Post" if of_mail else f"{vendor.title()} {product.title()}",
        kind=Kind.CHANGELOG if of_mail else Kind.RELEASE_NOTES,
        homepage=None if of_mail else f"https://{vendor}.example/",
        changelog_url=f"https://{vendor}.example/{product}",
        adapter_type=AdapterType.ATOM if of_mail else AdapterType.RSS,
        feed_url=f"https://feeds.{vendor}.example/{product}.xml",
        tags=("cloud", product),
    )


def entry(slug: str, number: int, now: datetime) -> EntryRecord:
    """One entry: the first lies ahead, the next three came in one moment, then one in 5 hours."""
    age = -timedelta(days=2) if number == 0 else timedelta(hours=5 * max(number, 3))
    sentence = _SENTENCE.format(number=number)
    text = EntryText(
        external_id=f"{slug}/{number:03}",
        source=slug,
        vendor=slug.partition(".")[0],
        published_at=now - age,
        title=f"Version {number} goes",
        url=None if number % 5 == 4 else f"https://{slug}.example/{number}",
        summary=None if number % 9 == 8 else f"{sentence * 20}It closes CVE-2026-12345.",
        raw={"guid": f"{slug}/{number:03}"},
        tags=["cloud", slug.partition(".")[2]],
    )
    important = number % 3 == 0 and text.summary is not None
    importance = json.dumps(_importance(sentence, number, now)).encode() if important else None
    first, last = _days(number, now)
    removal = DeadlineRecord(DeadlineKind.REMOVAL, first, last, sentence.strip(), **_STATED)
    return EntryRecord(
        text,
        content_hash="0" * 64,
        importance=importance,
        importance_version=1,
        deadlines=(removal,) if important else (),
    )


def _days(number: int, now: datetime) -> tuple[date, date]:
    """The days that the deadline of an entry can fall on."""
    first = (now + timedelta(days=400 - 2 * number)).date()
    return first, first + timedelta(days=number % 2)


def _importance(sentence: str, number: int, now: datetime) -> dict[str, Any]:
    start = sentence.index("removed")
    first, last = map(str, _days(number, now))
    passage = {"field": "summary", "text": "removed", "start": start, "end": start + len("removed")}
    return {
        "categories": ["breaking"],
        "evidence": [{"category": "breaking", **passage}],
        "deadlines": [
            {"kind": "removal", "from": first, "to": last, "evidence": passage, **_STATED}
        ],
    }


def diff(number: int, at: datetime) -> bytes:
    """A diff as it is kept: one entry more, in the newest of them another title."""

    edited = number == DIFFS - 1

    def snapshot(which: int, fetched_at: datetime) -> dict[str, Any]:
        return {
            "snapshotId": f"snapshot_{which}",
            "fetchedAt": fetched_at.isoformat().replace("+00:00", "Z"),
            "contentHash": f"{which:064x}",
            "entryCount": number if edited else which,
        }

    counts = {"added": int(not edited), "changed": int(edited), "removed": 0, "rolledOff": 0}
    return json.dumps(
        {
            "id": f"diff_{number}",
            "before": snapshot(number, at - timedelta(days=1)),
            "after": snapshot(number + 1, at),
            "stats": {**counts, "unchanged": number},
            "truncated": False,
            "changes": [_edited(number) if edited else _added(number)],
        }
    ).encode()


def _added(number: int) -> dict[str, Any]:
    new = {"id": f"{SLUGS[0]}/{number:03}", "title": f"Version {number} goes"}
    return {"op": "added", "entryId": new["id"], "before": None, "after": new, "fields": []}


def _edited(number: int) -> dict[str, Any]:
    before = {"id": f"{SLUGS[0]}/{number:03}", "title": f"Version {number} stays"}
    title = {"path": "title", "before": before["title"], "after": f"Version {number} goes"}
    words = (("equal", f"Version {number} "), ("delete", "stays"), ("insert", "goes"))
    title["spans"] = [{"op": op, "text": text} for op, text in words]
    url = {"path": "url", "before": None, "after": f"https://{SLUGS[0]}.example/{number}"}
    return {
        "op": "changed",
        "entryId": before["id"],
        "before": before,
        "after": {**before, "title": title["after"], "url": url["after"]},
        "fields": [title, url],
        "facts": [{"type": "title_changed", "path": "title", "detail": None}],
    }
