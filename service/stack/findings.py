"""Findings about a stack: what breaks, what is deprecated, holes, and ends of life. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from openapi.shapes import EntryDeadline, StackReport, UpgradeEntry
from package_versions.affected import is_affected
from package_versions.component import FileParts, Unread, unread
from package_versions.ordering import Comparable
from package_versions.package_urls import PackageUrl
from package_versions.release_order import parse_release

END_OF_LIFE: Final = "end-of-life"
REVIEW: Final = "review"
RULES: Final = {
    "breaking": "A breaking change between your version and the latest.",
    "deprecation": "Something you run is deprecated.",
    "security": "A security fix or advisory.",
    END_OF_LIFE: "Support for something you run ends soon, or has ended.",
    REVIEW: "Something could not be compared, so breaking changes may be missing.",
}
NEWS_DAYS: Final = 30
"""How long a passed deadline concerns everybody; later only those who run what ended."""
_NO_PURL: Final = "it has no package URL that fits"
NOT_COMPARED: Final = frozenset(
    {"not_compared", "from_not_comparable", "to_not_comparable", "no_releases", "no_source"}
)
NO_SOURCE: Final = "No source covers this package."
_ENDS: Final = frozenset({"end_of_life", "end_of_support", "removal"})


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Where a part stands: a file, its line, and the version there.

    In a finding the version is the one that runs.
    """

    file: str
    line: int | None = None
    version: str | None = None


@dataclass(frozen=True, slots=True)
class StackFinding:
    """One reason to look at a part. ``text`` is evidence in the vendor's words."""

    rule: str
    part: str
    place: FilePlace
    title: str
    text: str
    url: str | None
    entry: str
    version: str | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True)
class Stack:
    """The parts that files name, as package URLs with versions, and the place of each.

    ``unread``: what files name besides and was not read, by file.
    """

    purls: tuple[str, ...]
    places: Mapping[str, tuple[FilePlace, ...]]
    unread: tuple[tuple[str, Unread], ...] = ()
    read: tuple[tuple[str, FilePlace], ...] = ()
    """Each package URL and where it was read."""


def stack_of(files: Iterable[tuple[str, FileParts]]) -> Stack:
    """Return the stack that files name; what has no package URL counts as not read."""
    purls: dict[str, None] = {}
    places: defaultdict[str, list[FilePlace]] = defaultdict(list)
    others: list[tuple[str, Unread]] = []
    read: list[tuple[str, FilePlace]] = []
    for file, parts in files:
        others += [(file, named) for named in parts.unread]
        for component in parts.components:
            purl = component.placed_purl
            part = PackageUrl.parse(purl) if purl else None
            if purl and part is not None:
                purls.setdefault(purl)
                place = FilePlace(file, component.line, component.version)
                places[part.part].append(place)
                read.append((purl, place))
            else:
                others.append((file, unread(component.name, _NO_PURL, line=component.line)))
    standing = {part: tuple(where) for part, where in places.items()}
    return Stack(tuple(purls), standing, tuple(others), tuple(read))


def findings_of(
    report: StackReport, stack: Stack, *, within: int, running: Stack | None = None
) -> list[StackFinding]:
    """Return the findings of a report; ends of life of the next ``within`` days.

    ``running`` is what runs now, where ``stack`` is what is wanted instead. A finding is at
    each place that it is about.
    """
    runs = stack if running is None else running
    return [
        *_of_entries(report["items"], stack, runs),
        *_of_deadlines(report, stack, runs, within=within),
    ]


def failing(
    findings: Iterable[StackFinding], report: StackReport, fail_on: Collection[str], stack: Stack
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
    counted[REVIEW] = sum(1 for _ in unchecked_of(report, stack))
    rules = {finding.rule for finding in findings} | {rule for rule, n in counted.items() if n}
    return [rule for rule in RULES if rule in fail_on and rule in rules]


def _places(
    wanted: Stack, running: Stack, part: str, version: str | None = None
) -> list[FilePlace]:
    """Return where a part stands that a version of it is about, with what runs.

    Those are the places from which, or to which, one has to pass that version. ``wanted`` is
    ``running`` where nothing else is wanted.
    """
    stand, run = (stack.places.get(part, ()) for stack in (wanted, running))
    released = _parsed(part, version)
    if released is None:
        return _first(stand, run)
    if wanted is running:
        older = [place for place in run if _is_before(part, place, released)]
        return older or _first(stand, run)
    runs = [place.version for place in run if _is_before(part, place, released)]
    reached = [place for place in stand if not _is_before(part, place, released)]
    if not runs or not reached:
        return _first(stand, run)
    return [replace(place, version=runs[0]) for place in reached]


def _first(stand: Sequence[FilePlace], run: Sequence[FilePlace]) -> list[FilePlace]:
    """Return the first place of a part, where no version tells its places apart."""
    place = next(iter(stand), None) or next(iter(run), FilePlace(""))
    return [replace(place, version=next((it.version for it in run), place.version))]


def _parsed(part: str, version: str | None) -> Comparable | None:
    url = PackageUrl.parse(part)
    return None if url is None or version is None else parse_release(version, url.ecosystem)


def _is_before(part: str, place: FilePlace, released: Comparable) -> bool:
    there = _parsed(part, place.version)
    return there is not None and there < released


def _of_entries(
    entries: Iterable[UpgradeEntry], wanted: Stack, running: Stack
) -> Iterator[StackFinding]:
    for entry in entries:
        importance = entry.get("importance")
        for category in importance["categories"] if importance is not None else ():
            if category not in RULES:
                continue
            texts = [
                evidence["text"]
                for evidence in (importance["evidence"] if importance is not None else ())
                if evidence["category"] == category
            ]
            for place in _places(wanted, running, entry["part"], entry.get("version")):
                yield StackFinding(
                    category,
                    entry["part"],
                    place,
                    entry.get("headline") or entry["title"],
                    " … ".join(texts),
                    entry.get("url"),
                    f"{entry['source']}/{entry['id']}",
                    entry.get("version"),
                )


def _of_deadlines(
    report: StackReport, wanted: Stack, running: Stack, *, within: int
) -> Iterator[StackFinding]:
    parts: defaultdict[str, list[str]] = defaultdict(list)
    for covered in report["selected"]:
        for slug in covered["sources"]:
            parts[slug].append(covered["part"])
    for deadline in report["deadlines"]:
        if deadline["kind"] in _ENDS and deadline["days"] <= within:
            named = parts[deadline["entry"]["source"]]
            concerned = _concerned(deadline, named, wanted, running)
            yield from (_end(deadline, part, place) for part, place in concerned[:1])


def _concerned(
    deadline: EntryDeadline, parts: Iterable[str], wanted: Stack, running: Stack
) -> list[tuple[str, FilePlace]]:
    """Return where parts stand that an end is about: all, or those of the versions that it names.

    What is wanted counts, where that is not what runs.
    """
    places = []
    for part in parts:
        stand = wanted.places.get(part) or running.places.get(part) or (FilePlace(""),)
        for place in stand:
            affected = is_affected(deadline["subject"], deadline["versions"], part, place.version)
            if affected or (affected is None and deadline["days"] >= -NEWS_DAYS):
                places.append((part, place))
    return places


def _end(deadline: EntryDeadline, part: str, place: FilePlace) -> StackFinding:
    entry = deadline["entry"]
    verb = "ended" if deadline["days"] < 0 else "ends"
    return StackFinding(
        END_OF_LIFE,
        part,
        place,
        f"{verb} {deadline['to']}: {entry.get('headline') or entry['title']}",
        deadline["text"],
        entry.get("url"),
        f"{entry['source']}/{entry['id']}/{deadline['to']}",
        days=deadline["days"],
    )


def unchecked_of(report: StackReport, stack: Stack) -> Iterator[tuple[str, str, FilePlace, bool]]:
    """Yield the name, the reason and the place of what has to be reviewed: it was not compared.

    These are parts with a source, those without, and what was not read. The last value is true
    where a reader of the file wants to know: not of parts that merely have no source.
    """
    covered = {each["part"] for each in report["selected"]}
    reported: set[str] = set()
    for remark in (*report["unknown"], *report["gaps"]):
        part = remark["part"]
        if part in covered - reported and remark["reason"] != "other_package":
            reported.add(part)
            yield part, remark["text"], _place(stack, part), True
    reasons = {remark["part"]: remark["text"] for remark in report["unknown"]}
    for part in report["uncovered"]:
        yield part, reasons.get(part, NO_SOURCE), _place(stack, part), False
    for file, named in stack.unread:
        yield named.text, f"Not read: {named.reason}.", FilePlace(file, named.line), True


def _place(stack: Stack, part: str) -> FilePlace:
    return next(iter(stack.places.get(part, ())), FilePlace(""))
