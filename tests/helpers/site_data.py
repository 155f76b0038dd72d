"""What the service of the browser tests has: 30 sources of invented vendors, entries, two diffs."""

import json
from datetime import timedelta

from filling import catalog_row

from openapi.vocabulary import DeadlineKind
from storage.catalog.packages import save_packages
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.diffs import add_diff
from storage.entries.documents import EntryText
from storage.entries.entry_writes import Edit, EntryRecord, newest_entries, save_entries

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
WORD = "https://umbrella.example/" + "a" * 700
SNAPSHOT = {
    "snapshotId": "1",
    "fetchedAt": "2026-11-21T11:00:00Z",
    "contentHash": "0" * 64,
    "entryCount": 1,
}
KINDS = tuple(DeadlineKind)


def fill(database, now):
    """Store it all."""
    vendors = ("acme", "globex", "initech", "umbrella", "hooli", "wonka")
    products = ("compute", "storage", "mail", "network", "console")
    with database.write() as session:
        save_sources(
            session,
            [
                catalog_row(
                    f"{vendor}.{product}",
                    homepage=f"https://{vendor}.example/",
                    tags=("cloud", "compute"),
                )
                for vendor in vendors
                for product in products
            ],
        )
        save_packages(
            session, [SeenPackage("acme.mail", "pkg:npm/acme-mail", "https://acme.example/")]
        )
        ids = ids_of(session, ["acme.compute", "umbrella.console"])
        plain, hostile = ids["acme.compute"], ids["umbrella.console"]
        new = [_entry(number, now) for number in range(6)]
        save_entries(session, plain, new=new, edited=[], now=now)
        words = _hostile_entry(now, "hostile", "A" * 400, WORD, f"{WORD}\n\n- {WORD}")
        markup = _hostile_entry(now, "markup", MARKUP, "javascript:alert(3)", MARKUP)
        save_entries(session, hostile, new=[words, markup], edited=[], now=now)
        after = _hostile_entry(now, "markup", f"{MARKUP}, edited", "javascript:alert(4)", WORD)
        stored = {each.external_id: each for each in newest_entries(session, hostile, most=2)}
        edit = Edit(stored["markup"], after)
        save_entries(session, hostile, new=[], edited=[edit], now=now)
        for source, words in (
            (plain, ("Removal in March", "Removal in June")),
            (hostile, (MARKUP, WORD)),
        ):
            add_diff(session, source, document=json.dumps(_diff(*words)).encode(), now=now)


def _entry(number, now):
    text = EntryText(
        external_id=str(number),
        source="acme.compute",
        vendor="acme",
        published_at=now - timedelta(hours=number + 1),
        title=f"Version {number} of the instances API is removed",
        url=f"https://acme.example/{number}",
        summary="## Removed\n\n- Version 1. Use version 2.\n- The old console.\n\nPlease move on.",
        raw={},
        tags=["cloud"],
    )
    evidence = {"field": "title", "text": text.title, "start": 0, "end": len(text.title)}
    kinds = ("breaking", "deprecation", "security")[: number % 3 + 1]
    why = {"categories": kinds, "evidence": [{"category": kind, **evidence} for kind in kinds]}
    last = (now + timedelta(days=number * 40)).date()
    return EntryRecord(
        text,
        content_hash="0" * 64,
        importance=json.dumps(why).encode(),
        importance_version=1,
        deadlines=[DeadlineRecord(KINDS[number % 3], last, last, text.title)],
    )


def _hostile_entry(now, name, title, url, summary):
    """An entry of words that are longer than any window, or are markup."""
    text = EntryText(
        external_id=name,
        source="umbrella.console",
        vendor="umbrella",
        published_at=now - timedelta(days=40),
        title=title,
        url=url,
        summary=summary,
        raw={},
        tags=["cloud"],
    )
    return EntryRecord(text, content_hash="0" * 64, importance=None, importance_version=1)


def _diff(before, after):
    """A diff of each kind of change, with two texts of the vendor."""
    spans = [{"op": "equal", "text": "Now: " * 99}]
    spans += [{"op": "delete", "text": before}, {"op": "insert", "text": after}]
    text = {"path": "summary", "before": before, "after": after, "spans": spans}
    moved = {"type": "date_moved_earlier", "path": "published_at", "detail": None}
    changes = [_change("changed", before, after, fields=[text], facts=[moved])]
    changes += [_change("added", None, after), _change("removed", before, None)]
    changes += [_change("rolled_off", before, None), _change("moved", before, before)]
    return {
        "id": "1",
        "before": SNAPSHOT,
        "after": SNAPSHOT,
        "stats": {"added": 1, "changed": 1, "removed": 1, "rolledOff": 1, "unchanged": 2},
        "truncated": True,
        "changes": changes,
    }


def _change(op, before, after, *, fields=(), facts=()):
    sides = [text and {"title": text, "summary": f"{text}, and more"} for text in (before, after)]
    return {
        "op": op,
        "entryId": "1",
        "before": sides[0],
        "after": sides[1],
        "fields": list(fields),
        "facts": list(facts),
    }
