"""Changes in request bodies and responses."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from contract_diff.change import ContractChange, Effect, Severity, Side, Spot
from contract_diff.document import Document, media_types
from contract_diff.lifecycle import compare_lifecycles
from contract_diff.schemas import SchemaComparison, compare_written, schema_in
from contract_diff.shape import canonical, meaning

_CLASSES = {"1": "informational", "2": "success", "3": "redirect", "4": "error", "5": "error"}
_STATUS_GONE = {"success": Severity.BREAKING}
_STATUS_NEW = {
    "success": Severity.WARNING,
    "redirect": Severity.WARNING,
    "error": Severity.WARNING,
    "default": Severity.WARNING,
}


@dataclass(frozen=True, slots=True)
class BodyComparison:
    """The request body and the responses of one operation in two contracts.

    `side` is who sends the request body: the consumer, or in a callback the service.
    """

    old: Document
    new: Document
    schemas: Callable[[], SchemaComparison]
    side: Side
    prefix: str
    place: str
    today: date | None

    def compare_requests(
        self, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> Iterator[ContractChange]:
        """Compare the request bodies of two operations."""
        spot = Spot(
            side=self.side,
            subject=f"{self.prefix}request-body",
            noun="the request body",
            place=f"{self.place} › body",
        )
        before = self.old.resolve(old.get("requestBody"))
        after = self.new.resolve(new.get("requestBody"))
        was, now = before.get("required") is True, after.get("required") is True
        if not before and not after:
            return
        if not before:
            what, effect = ("added-required", Effect.NARROWS) if now else ("added", Effect.NOTE)
            yield spot.report(what, effect, f"is new and {'required' if now else 'optional'}")
        elif not after:
            yield spot.report("removed", Severity.BREAKING, "was removed")
        else:
            yield from spot.requirement(was=was, now=now)
            yield from self._media_types(before, after, spot)

    def compare_responses(
        self, old: Mapping[str, Any], new: Mapping[str, Any]
    ) -> Iterator[ContractChange]:
        """Compare the responses of two operations, by status."""
        before = self.old.members(old.get("responses"))
        after = self.new.members(new.get("responses"))
        for status in sorted(before.keys() | after.keys()):
            spot = self._response(status)
            group = _CLASSES.get(status[:1], "default")
            if status not in after:
                weight = _STATUS_GONE.get(group, Severity.INFO)
                yield spot.report(f"{group}-status-removed", weight, "is no longer given")
            elif status not in before:
                weight = _STATUS_NEW.get(group, Severity.INFO)
                yield spot.report(f"{group}-status-added", weight, "is a new answer")
            else:
                yield from self._response_changes(before[status], after[status], spot)

    def _response(self, status: str) -> Spot:
        return Spot(
            side=self.side.other,
            subject=f"{self.prefix}response",
            noun=f"the response {status}",
            place=f"{self.place} › {status}",
        )

    def _response_changes(
        self, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot
    ) -> Iterator[ContractChange]:
        subject, noun = f"{self.prefix}response-body", f"the body of {spot.noun}"
        body = replace(spot, subject=subject, noun=noun)
        yield from self._media_types(old, new, body)
        yield from self._headers(old, new, spot)
        yield from self._links(old, new, spot)

    def _media_types(
        self, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot
    ) -> Iterator[ContractChange]:
        """Compare media types; the consumer chooses one, so each that is removed is breaking."""
        before, after = media_types(old), media_types(new)
        for name in sorted(before.keys() | after.keys()):
            wider = _wider(name, after)
            if name not in after and wider is not None:
                phrase = f"comes as {wider} instead of {name}"
                yield spot.report("media-type-widened", Effect.WIDENS, phrase)
                here = spot.into(wider)
                old_schema, new_schema = schema_in(before[name]), schema_in(after[wider])
                yield from self.schemas().compare(old_schema, new_schema, here)
            elif name not in after:
                phrase = f"no longer comes as {name}"
                yield spot.report("media-type-removed", Severity.BREAKING, phrase)
            elif name not in before:
                phrase = f"can now come as {name}"
                yield spot.report("media-type-added", Severity.INFO, phrase)
            else:
                here = spot.into(name)
                was, now = before[name], after[name]
                if canonical(was.get("encoding")) != canonical(now.get("encoding")):
                    yield here.report("encoding-changed", Severity.WARNING, "is encoded otherwise")
                yield from self.schemas().compare(schema_in(was), schema_in(now), here)

    def _headers(
        self, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot
    ) -> Iterator[ContractChange]:
        before = _without_case(self.old.members(old.get("headers")))
        after = _without_case(self.new.members(new.get("headers")))
        for name in sorted(before.keys() | after.keys()):
            here = replace(
                spot.into(f"header {name}"), subject=f"{self.prefix}response-header",
                noun=f"the header {name}",
            )  # fmt: skip
            was, now = (side.get(name, {}).get("required") is True for side in (before, after))
            if name not in after:
                what = "required" if was else "optional"
                weight = Severity.BREAKING if was else Severity.WARNING
                yield here.report(f"removed-{what}", weight, f"was removed; it was {what}")
            elif name not in before:
                yield here.report("added", Severity.INFO, "is new")
            else:
                yield from self._header_changes(before[name], after[name], here, was=was, now=now)

    def _header_changes(
        self, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot, *, was: bool, now: bool
    ) -> Iterator[ContractChange]:
        if was and not now:
            yield spot.report("became-optional", Effect.WIDENS, "is no longer always sent")
        if now and not was:
            yield spot.report("became-required", Effect.NARROWS, "is now always sent")
        yield from compare_lifecycles(old, new, spot, today=self.today)
        yield from compare_written(self.schemas(), old, new, spot)

    def _links(
        self, old: Mapping[str, Any], new: Mapping[str, Any], spot: Spot
    ) -> Iterator[ContractChange]:
        before, after = self.old.members(old.get("links")), self.new.members(new.get("links"))
        for name in sorted(before.keys() | after.keys()):
            here = replace(
                spot.into(f"link {name}"), subject=f"{self.prefix}link", noun=f"the link {name}"
            )
            if name not in after:
                yield here.report("removed", Severity.WARNING, "was removed")
            elif name not in before:
                yield here.report("added", Severity.INFO, "is new")
            elif meaning(before[name]) != meaning(after[name]):
                yield here.report("changed", Severity.WARNING, "leads elsewhere")


def _wider(name: str, media: Mapping[str, Any]) -> str | None:
    """Return the range among media types that a type is in (RFC 9110, section 12.5.1)."""
    ranges = (f"{name.partition('/')[0]}/*", "*/*")
    return next((wider for wider in ranges if wider in media and wider != name), None)


def _without_case(headers: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    """Return response headers by lower-case name; Content-Type is told by the media types."""
    lowered = {name.lower(): header for name, header in headers.items()}
    return {name: header for name, header in lowered.items() if name != "content-type"}
