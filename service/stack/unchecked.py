"""What of a stack was not compared, and why; it is never reported as fine. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from openapi.shapes import StackReport, UpgradeRemark
from service.stack.findings import FilePlace, Stack

_NOT_COMPARED = frozenset(
    {"not_compared", "from_not_comparable", "to_not_comparable", "no_releases", "no_source"}
)
NO_SOURCE = "No source is certainly about it."


@dataclass(frozen=True, slots=True)
class Unchecked:
    """A part, a line or a name of a file, that was not compared.

    ``is_selected``: the part has a source that may be read; ``is_unread``: it was not read at all.
    """

    name: str
    reason: str
    place: FilePlace
    is_selected: bool = False
    is_unread: bool = False


def unchecked_of(report: StackReport, stack: Stack) -> Iterator[Unchecked]:
    """Yield what was not compared: parts with a source, those without, and what was not read."""
    selected = {covered["part"] for covered in report["selected"]}
    reported: set[str] = set()
    for remark in (*report["unknown"], *report["gaps"]):
        part = remark["part"]
        if part in selected and part not in reported and _says_not_compared(remark):
            reported.add(part)
            yield Unchecked(part, remark["text"], _place(stack, part), is_selected=True)
    for covered in report["proposed"]:
        reason = f"Not selected: {covered['sources'][0]}."
        yield Unchecked(covered["part"], reason, _place(stack, covered["part"]))
    for part in report["uncovered"]:
        yield Unchecked(part, NO_SOURCE, _place(stack, part))
    for file, named in stack.unread:
        yield Unchecked(
            named.text, f"Not read: {named.reason}.", FilePlace(file, named.line), is_unread=True
        )


def _says_not_compared(remark: UpgradeRemark) -> bool:
    return remark["reason"] in _NOT_COMPARED


def _place(stack: Stack, part: str) -> FilePlace:
    return next(iter(stack.places.get(part, ())), FilePlace(""))
