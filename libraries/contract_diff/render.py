"""Changes as text for a terminal, as JSON for programs and as Markdown for a changelog.

The same change of a shared component shows in many operations: text and Markdown say it once
and list the places, JSON lists every one.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict

from contract_diff.change import ContractChange, Severity

_HEADINGS = {
    Severity.BREAKING: "Breaking changes",
    Severity.WARNING: "Changes to look at",
    Severity.INFO: "Other changes",
}
_NO_CHANGES = "The two contracts do not differ."
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|])")
_PLACES = 5
"""How many places are written out; the rest are counted."""


def as_text(changes: Sequence[ContractChange]) -> str:
    """Return one paragraph a change, the heaviest first, and a line that counts them."""
    if not changes:
        return f"{_NO_CHANGES}\n"
    lines: list[str] = []
    for change, places in _grouped(changes):
        lines.append(f"{change.severity.upper():<8} {change.sentence} [{change.kind}]")
        lines += [f"         at {place}" for place in _shortened(places)]
    lines.append(_count(changes))
    return "\n".join(map(_one_line, lines)) + "\n"


def as_json(changes: Sequence[ContractChange]) -> str:
    """Return an object: the number of changes of each severity, and `changes`, the list of them."""
    document = {
        **{severity.value: _number(changes, severity) for severity in Severity},
        "changes": [asdict(change) for change in changes],
    }
    return json.dumps(document, indent=2) + "\n"


def as_markdown(changes: Sequence[ContractChange]) -> str:
    """Return a section for each severity, for use below a version's heading in a changelog."""
    if not changes:
        return f"{_NO_CHANGES}\n"
    lines: list[str] = []
    for severity in Severity:
        group = [change for change in changes if change.severity is severity]
        if group:
            lines += [f"### {_HEADINGS[severity]}", ""]
            for change, places in _grouped(group):
                where = ", ".join(f"`{place.replace('`', '')}`" for place in _shortened(places))
                sentence = _MARKDOWN.sub(r"\\\1", change.sentence)
                lines.append(f"- {sentence} ({where})")
            lines.append("")
    return "\n".join(map(_one_line, lines))


def _grouped(changes: Iterable[ContractChange]) -> list[tuple[ContractChange, list[str]]]:
    """Return one change of each kind and sentence, with all its places, in the order given."""
    groups: dict[tuple[Severity, str, str], list[ContractChange]] = {}
    for change in changes:
        groups.setdefault((change.severity, change.kind, change.sentence), []).append(change)
    return [(group[0], [change.place for change in group]) for group in groups.values()]


def _shortened(places: list[str]) -> list[str]:
    left_out = len(places) - _PLACES
    return places[:_PLACES] + ([f"{left_out} more places"] if left_out > 0 else [])


def _one_line(text: str) -> str:
    """Replace line breaks and control characters in names of a contract."""
    return escape_control(text).replace("\n", "\ufffd")


def _number(changes: Iterable[ContractChange], severity: Severity) -> int:
    return sum(change.severity is severity for change in changes)


def _count(changes: Sequence[ContractChange]) -> str:
    numbers = (f"{_number(changes, severity)} {severity.value}" for severity in Severity)
    return f"{len(changes)} {'change' if len(changes) == 1 else 'changes'}: {', '.join(numbers)}"


def escape_control(text: str) -> str:
    """Return the text with control characters replaced; line breaks stay."""
    return "".join(
        character if character.isprintable() or character == "\n" else "\ufffd"
        for character in text
    )
