"""Sources, entries and diffs as lines for a terminal, without control characters of vendors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from openapi.shapes import (
    Change,
    ChangelogEntry,
    ChangelogSource,
    Diff,
    DiffPage,
    EntryChange,
    EntryDeadline,
    ImportantEntry,
    PublicEntry,
)
from service.reader.times import shown
from service.terminal_escape import plain

LONGEST = 400
"""Characters of a text that are shown."""
MARKS = {"added": "+", "removed": "-", "changed": "~", "moved": ">", "rolled_off": "."}
STYLES = {"added": "green", "removed": "red", "changed": "yellow"}
AnyEntry = ChangelogEntry | PublicEntry | ImportantEntry


@dataclass(frozen=True, slots=True)
class IndentedLine:
    """One line: texts, each with its style, and the columns to indent it by."""

    parts: tuple[tuple[str, str], ...] = ()
    indent: int = 0


def entry_lines(entries: Sequence[AnyEntry]) -> Iterator[IndentedLine]:
    """Draw entries, numbered from 1, an empty line after each."""
    for number, entry in enumerate(entries, 1):
        important = cast("ImportantEntry", entry) if "importance" in entry else None
        categories = [] if important is None else important["importance"]["categories"]
        yield _head(
            number, shown(entry["published_at"]), plain(entry["source"]), ", ".join(categories)
        )
        yield _indented(plain(entry["title"]) or "(no title)", "bold")
        if important is not None:
            yield from _reasons(important)
        if summary := entry.get("summary"):
            yield _indented(_cut(plain(summary)))
        if url := entry.get("url"):
            yield _indented(plain(url), "blue")
        yield IndentedLine()


def _reasons(entry: ImportantEntry) -> Iterator[IndentedLine]:
    title = plain(entry["title"])
    for passage in entry["importance"]["evidence"]:
        if (quote := plain(passage["text"])) not in title:
            yield _indented(f"{passage['category']}: “{_cut(quote)}”", "italic")
    for deadline in entry["importance"].get("deadlines", ()):
        first, last = deadline["from"], deadline["to"]
        when = first if first == last else f"{first} to {last}"
        yield _indented(f"{deadline['kind'].replace('_', ' ')}: {when}", "yellow")


def source_lines(sources: Sequence[ChangelogSource]) -> Iterator[IndentedLine]:
    """Draw sources of the catalog, numbered from 1, an empty line after each."""
    for number, source in enumerate(sources, 1):
        about = ", ".join(filter(None, (source.get("tier"), source.get("health"))))
        parts = (
            (f"{number:>3}  ", "dim"),
            (plain(source["name"]), "bold"),
            (f"  {plain(source['slug'])}", "cyan"),
            (f"  {plain(about)}", "dim"),
        )
        yield IndentedLine(parts)
        yield _indented(plain(source["changelogUrl"]), "blue")
        yield IndentedLine()


def deadline_lines(deadlines: Sequence[EntryDeadline]) -> Iterator[IndentedLine]:
    """Draw deadlines, numbered from 1, an empty line after each."""
    for number, deadline in enumerate(deadlines, 1):
        entry, first, last = deadline["entry"], deadline["from"], deadline["to"]
        days = first if first == last else f"{first} to {last}"
        yield _head(number, days, plain(entry["source"]), deadline["kind"].replace("_", " "))
        yield _indented(plain(entry["title"]) or "(no title)", "bold")
        yield _indented(f"“{_cut(plain(deadline['text']))}”", "italic")
        if url := entry.get("url"):
            yield _indented(plain(url), "blue")
        yield IndentedLine()


def change_line(change: EntryChange) -> str:
    """Return a change on one line: when, what, where, the title, the vendor's page."""
    entry = change["entry"]
    parts = (shown(entry["published_at"]), change["change"], entry["source"], entry["title"])
    return "  ".join(plain(part) for part in (*parts, entry.get("url") or "") if part)


def diff_lines(page: DiffPage) -> Iterator[IndentedLine]:
    """Draw the diffs of a source, numbered from 1, an empty line after each."""
    for number, diff in enumerate(page["items"], 1):
        first, last = shown(diff["before"]["fetchedAt"]), shown(diff["after"]["fetchedAt"])
        yield _head(number, f"{first} to {last}", plain(page["source"]), _counts(diff))
        for change in diff["changes"]:
            yield from _change(change)
        if diff["truncated"]:
            yield _indented("… there were more changes than are kept", "dim")
        yield IndentedLine()


def _counts(diff: Diff) -> str:
    stats = diff["stats"]
    counts = (
        (stats["added"], "added"),
        (stats["changed"], "changed"),
        (stats["removed"], "removed"),
        (stats["rolledOff"], "rolled off"),
    )
    return ", ".join(f"{count} {name}" for count, name in counts if count)


def _change(change: Change) -> Iterator[IndentedLine]:
    about = change["after"] or change["before"] or {}
    title = about.get("title") or about.get("text") or change.get("entryId") or "(no title)"
    facts = ", ".join(plain(fact["type"]).replace("_", " ") for fact in change.get("facts", ()))
    line = f"{MARKS[change['op']]} {_cut(plain(str(title)))}"
    yield _indented(f"{line}  ({facts})" if facts else line, STYLES.get(change["op"], ""))
    for field in change["fields"]:
        for mark, value, style in (("-", field["before"], "red"), ("+", field["after"], "green")):
            if value is not None:
                text = f"{plain(field['path'])} {mark} {_cut(plain(str(value)))}"
                yield _indented(text, style, indent=7)


def _head(number: int, when: str, source: str, about: str) -> IndentedLine:
    return IndentedLine(
        ((f"{number:>3}  ", "dim"), (when, "cyan"), (f"  {source}  ", ""), (plain(about), "red"))
    )


def _indented(text: str, style: str = "", *, indent: int = 5) -> IndentedLine:
    return IndentedLine(((text, style),), indent)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1].rstrip()}…"
