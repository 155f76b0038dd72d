"""Ends of versions in the standards: ECMA-428 (CLE) and OpenEoX Core, as a third party's report."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Final

from openapi.vocabulary import DeadlineKind
from storage.entries.documents import timestamp
from storage.entries.end_events import EndEvent

CLE_SCHEMA: Final = "https://cle.example.com/schema/cle-1.0.0.schema.json"
OPENEOX_SCHEMA: Final = "https://docs.oasis-open.org/openeox/v1.0/schema/core.json"
TO_BE_ANNOUNCED: Final = "tba"
POLICY: Final = "vendor"
_CLE_TYPES: Final = {
    DeadlineKind.END_OF_LIFE: "endOfLife",
    DeadlineKind.END_OF_SUPPORT: "endOfSupport",
    DeadlineKind.END_OF_SALE: "endOfMarketing",
}
_OPENEOX_NAMES: Final = {
    DeadlineKind.END_OF_LIFE: "end_of_life",
    DeadlineKind.END_OF_SUPPORT: "end_of_security_support",
    DeadlineKind.END_OF_SALE: "end_of_sales",
}
_SIGNS: Final = ("<", ">", "=")


def cle_document(
    purls: Sequence[str], events: Sequence[EndEvent], *, now: datetime
) -> dict[str, Any]:
    """Return the CLE document of a component; a day that moved is withdrawn and given anew."""
    written: dict[int, dict[str, Any]] = {}
    for event in sorted(events, key=lambda event: event.number):
        if event.kind not in _CLE_TYPES:
            continue
        number = _unused(event.number, written)
        written[number] = _cle_event(number, event, purls[0])
        if event.held_until is not None and event.held_until <= now:
            moved = event._replace(held_from=event.held_until)
            withdrawn = _unused(moved.number, written)
            written[withdrawn] = {
                "id": withdrawn,
                "type": "withdrawn",
                "effective": timestamp(event.held_until),
                "published": timestamp(event.held_until),
                "eventId": number,
                "reason": "The vendor announced another date.",
            }
    newest = [written[number] for number in sorted(written, reverse=True)]
    url = next((event.changelog_url for event in events), None)
    support = {"id": POLICY, "description": "Support as the vendor describes it."}
    return {
        "$schema": CLE_SCHEMA,
        "identifier": purls[0] if len(purls) == 1 else list(purls),
        "updatedAt": max((event["published"] for event in newest), default=timestamp(now)),
        "definitions": {"support": [support | ({"url": url} if url else {})]},
        "events": newest,
    }


def _unused(number: int, written: Mapping[int, object]) -> int:
    while number in written:
        number += 1
    return number


def _cle_event(number: int, event: EndEvent, purl: str) -> dict[str, Any]:
    of_support = {"supportId": POLICY} if event.kind is DeadlineKind.END_OF_SUPPORT else {}
    type_ = purl.removeprefix("pkg:").partition("/")[0]
    return {
        "id": number,
        "type": _CLE_TYPES[event.kind],
        "effective": _moment(event.day),
        "published": timestamp(event.held_from),
        "versions": [
            {"range": f"vers:{type_}/{event.versions}"}
            if event.versions.startswith(_SIGNS)
            else {"version": version}
            for version in _single(event.versions)
        ],
        **of_support,
        "references": list(dict.fromkeys(filter(None, (event.changelog_url, event.url)))),
        "description": f"Changewire reports what the vendor wrote: {event.evidence}",
    }


def openeox_documents(events: Iterable[EndEvent], *, now: datetime) -> list[dict[str, Any]]:
    """Return an OpenEoX shell, which is provisional, for each subject and version that ends.

    Of two days for one field the later one is that of the last support.
    """
    shells: dict[tuple[str, str], dict[str, Any]] = {}
    for event in events:
        holds = event.held_until is None or event.held_until > now
        if event.kind not in _OPENEOX_NAMES or not holds:
            continue
        for version in _single(event.versions):
            name = (event.subject or "").removesuffix(version).strip() or event.source_name
            shell = {
                "vendor_name": event.vendor,
                "product_name": name,
                "product_version": version,
                "core": {
                    "$schema": OPENEOX_SCHEMA,
                    "end_of_life": TO_BE_ANNOUNCED,
                    "end_of_security_support": TO_BE_ANNOUNCED,
                    "last_updated": timestamp(event.held_from),
                },
            }
            core = shells.setdefault((name, version), shell)["core"]
            field = _OPENEOX_NAMES[event.kind]
            known = core.get(field, TO_BE_ANNOUNCED)
            core[field] = max(_moment(event.day), "" if known == TO_BE_ANNOUNCED else known)
            core["last_updated"] = max(core["last_updated"], timestamp(event.held_from))
    return [shells[key] for key in sorted(shells)]


def _single(versions: str) -> Iterator[str]:
    """Yield the versions that stand side by side; a range is one."""
    return iter([versions] if versions.startswith(_SIGNS) else versions.split("|"))


def _moment(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
