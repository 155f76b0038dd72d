"""Findings about a stack: what breaks, what is deprecated, holes, and ends of life. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from components.component import Component
from openapi.shapes import EntryDeadline, StackReport, UpgradeEntry
from versions.package_urls import PackageUrl

END_OF_LIFE: Final = "end-of-life"
RULES: Final = {
    "breaking": "Something stops working as it did between what runs and what came out.",
    "deprecation": "Something that runs is deprecated by what came out.",
    "security": "What came out tells of a hole or closes one.",
    END_OF_LIFE: "Support or a part of something that runs ends soon.",
}
_ENDS: Final = frozenset({"end_of_life", "removal"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where a part stands: a file, its line, and the version there."""

    file: str
    line: int | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One reason to look at a part. ``text`` is evidence in the vendor's words."""

    rule: str
    part: str
    place: Place
    title: str
    text: str
    url: str | None
    entry: str
    version: str | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """The parts of files, as package URLs with versions, and where each stands."""

    purls: tuple[str, ...]
    places: Mapping[str, tuple[Place, ...]]


def stack_of(files: Iterable[tuple[str, Iterable[Component]]]) -> Stack:
    """Return the stack that files name; what has no package URL is left out."""
    purls: dict[str, None] = {}
    places: defaultdict[str, list[Place]] = defaultdict(list)
    for file, components in files:
        for component in components:
            purl = component.purl
            part = PackageUrl.parse(purl) if purl else None
            if purl and part is not None:
                purls.setdefault(purl)
                places[part.part].append(Place(file, component.line, component.version))
    return Stack(tuple(purls), {part: tuple(where) for part, where in places.items()})


def findings_of(report: StackReport, stack: Stack, *, within: int) -> list[Finding]:
    """Return the findings of a report; ends of life of the next ``within`` days."""
    return [
        *_of_entries(report["items"], stack),
        *_of_deadlines(report, stack, within=within),
    ]


def failing(
    findings: Iterable[Finding], report: StackReport, fail_on: Collection[str]
) -> list[str]:
    """Return the rules of ``fail_on`` that something was found for.

    An answer shows only the first entries, and counts all.
    """
    counts = report["counts"]
    counted = {
        "breaking": counts["breaking"],
        "deprecation": counts["deprecation"],
        "security": counts["security"],
    }
    found = {finding.rule for finding in findings} | {rule for rule, n in counted.items() if n}
    return [rule for rule in RULES if rule in fail_on and rule in found]


def _of_entries(entries: Iterable[UpgradeEntry], stack: Stack) -> Iterator[Finding]:
    for entry in entries:
        importance = entry.get("importance")
        for category in importance["categories"] if importance is not None else ():
            if category not in RULES:
                continue
            texts = [
                each["text"]
                for each in (importance["evidence"] if importance is not None else ())
                if each["category"] == category
            ]
            yield Finding(
                category,
                entry["part"],
                _place(stack, entry["part"]),
                entry.get("headline") or entry["title"],
                " … ".join(texts),
                entry.get("url"),
                f"{entry['source']}/{entry['id']}",
                entry.get("version"),
            )


def _of_deadlines(report: StackReport, stack: Stack, *, within: int) -> Iterator[Finding]:
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for covered in report["selected"]:
        for slug in covered["sources"]:
            parts[slug].append(covered["part"])
    for deadline in report["deadlines"]:
        if deadline["kind"] in _ENDS and deadline["days"] <= within:
            yield from _ends(deadline, parts[deadline["entry"]["source"]][:1], stack)


def _ends(deadline: EntryDeadline, parts: Iterable[str], stack: Stack) -> Iterator[Finding]:
    entry = deadline["entry"]
    for part in parts:
        yield Finding(
            END_OF_LIFE,
            part,
            _place(stack, part),
            f"{deadline['to']}: {entry.get('headline') or entry['title']}",
            deadline["text"],
            entry.get("url"),
            f"{entry['source']}/{entry['id']}/{deadline['to']}",
            days=deadline["days"],
        )


def _place(stack: Stack, part: str) -> Place:
    return next(iter(stack.places.get(part, ())), Place(""))
