"""Changes in request bodies and responses."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from contract_diff.change import ContractChange, Effect, Severity, Spot
from contract_diff.document import Node, media_types
from contract_diff.lifecycle import compare_lifecycles
from contract_diff.schemas import Comparison, compare_written, schema_in
from contract_diff.shape import canonical, meaning

_CLASSES = {"1": "informational", "2": "success", "3": "redirect", "4": "error", "5": "error"}


def compare_requests(both: Comparison, old: Node, new: Node) -> Iterator[ContractChange]:
    """Compare the request bodies of two operations."""
    spot = Spot(
        side=both.side,
        subject=f"{both.prefix}request-body",
        noun="the request body",
        place=f"{both.place} › body",
    )
    before = both.old.resolve(old.get("requestBody"))
    after = both.new.resolve(new.get("requestBody"))
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
        yield from _media_types(both, before, after, spot)


def compare_responses(both: Comparison, old: Node, new: Node) -> Iterator[ContractChange]:
    """Compare the responses of two operations, by status."""
    before = both.old.members(old.get("responses"))
    after = both.new.members(new.get("responses"))
    for status in sorted(before.keys() | after.keys()):
        spot = Spot(
            side=both.side.other,
            subject=f"{both.prefix}response",
            noun=f"the response {status}",
            place=f"{both.place} › {status}",
        )
        group = _CLASSES.get(status[:1], "default")
        wider = _cover(status, group, after if status in before else before)
        if (status in before) != (status in after) and wider is not None:
            phrase = f"is given as {wider}" if status in before else f"was given as {wider}"
            yield spot.report(f"{group}-status-respelled", Severity.INFO, phrase)
            was = before.get(status) or before[wider]
            now = after.get(status) or after[wider]
            yield from _response_changes(both, was, now, spot)
        elif status not in after:
            weight = Severity.BREAKING if group == "success" else Severity.INFO
            yield spot.report(f"{group}-status-removed", weight, "is no longer given")
        elif status not in before:
            weight = Severity.INFO if group == "informational" else Severity.WARNING
            yield spot.report(f"{group}-status-added", weight, "is a new answer")
        else:
            yield from _response_changes(both, before[status], after[status], spot)


def _cover(status: str, group: str, responses: Mapping[str, Node]) -> str | None:
    """Return the range, or for errors the default, that covers a status without its own."""
    wider = [f"{status[:1]}XX"] + (["default"] if group == "error" else [])
    return next((name for name in wider if name in responses), None)


def _response_changes(
    both: Comparison, old: Node, new: Node, spot: Spot
) -> Iterator[ContractChange]:
    subject, noun = f"{both.prefix}response-body", f"the body of {spot.noun}"
    body = replace(spot, subject=subject, noun=noun)
    yield from _media_types(both, old, new, body)
    yield from _headers(both, old, new, spot)
    yield from _links(both, old, new, spot)


def _media_types(both: Comparison, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    """Compare media types; the consumer chooses one, so each that is removed is breaking."""
    before, after = media_types(old), media_types(new)
    for name in sorted(before.keys() | after.keys()):
        wider = _wider(name, after)
        if name not in after and wider is not None:
            phrase = f"comes as {wider} instead of {name}"
            yield spot.report("media-type-widened", Effect.WIDENS, phrase)
            here = spot.into(wider)
            old_schema, new_schema = schema_in(before[name]), schema_in(after[wider])
            yield from both.schemas().compare(old_schema, new_schema, here)
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
            yield from both.schemas().compare(schema_in(was), schema_in(now), here)


def _headers(both: Comparison, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    before = _without_case(both.old.members(old.get("headers")))
    after = _without_case(both.new.members(new.get("headers")))
    for name in sorted(before.keys() | after.keys()):
        here = replace(
            spot.into(f"header {name}"), subject=f"{both.prefix}response-header",
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
            if was and not now:
                yield here.report("became-optional", Effect.WIDENS, "is no longer always sent")
            if now and not was:
                yield here.report("became-required", Effect.NARROWS, "is now always sent")
            pair = before[name], after[name]
            yield from compare_lifecycles(*pair, here, today=both.today)
            yield from compare_written(both.schemas(), *pair, here)


def _links(both: Comparison, old: Node, new: Node, spot: Spot) -> Iterator[ContractChange]:
    before, after = both.old.members(old.get("links")), both.new.members(new.get("links"))
    for name in sorted(before.keys() | after.keys()):
        here = replace(
            spot.into(f"link {name}"), subject=f"{both.prefix}link", noun=f"the link {name}"
        )
        if name not in after:
            yield here.report("removed", Severity.WARNING, "was removed")
        elif name not in before:
            yield here.report("added", Severity.INFO, "is new")
        elif meaning(before[name]) != meaning(after[name]):
            yield here.report("changed", Severity.WARNING, "leads elsewhere")


def _wider(name: str, media: Node) -> str | None:
    """Return the range among media types that a type is in (RFC 9110, section 12.5.1)."""
    ranges = (f"{name.partition('/')[0]}/*", "*/*")
    return next((wider for wider in ranges if wider in media and wider != name), None)


def _without_case(headers: Mapping[str, Node]) -> dict[str, Node]:
    """Return response headers by lower-case name; Content-Type is compared as media types."""
    lowered = {name.lower(): header for name, header in headers.items()}
    return {name: header for name, header in lowered.items() if name != "content-type"}
