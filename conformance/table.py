"""The table of docs/conformance.md: which check tests which sentence."""

from pathlib import Path

from conformance.checks import CHECKS
from conformance.checks.universal import RULES

BEGIN = "<!-- The table is written by conformance/table.py -->"
END = "<!-- End of the table -->"


def as_markdown() -> str:
    """Return one row for each sentence, those of the specification first, in its order."""
    rows = [(check.origin, check.says, check.name, check.audience.value) for check in CHECKS]
    rows += [(rule.origin, rule.says, rule.name, "every answer") for rule in RULES]
    rows.sort(key=lambda row: (not row[0].startswith("specification"), row[0], row[2]))
    lines = ["| where | what it says | check | made for |", "|---|---|---|---|"]
    lines += [
        f"| {origin} | {_cell(says)} | `{name}` | {audience} |"
        for origin, says, name, audience in rows
    ]
    return "\n".join(lines)


def filled_in(page: str) -> str:
    """Return the page with a new table between its two marks."""
    before, _, table_and_after = page.partition(BEGIN)
    _, _, after = table_and_after.partition(END)
    return f"{before}{BEGIN}\n{as_markdown()}\n{END}{after}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


if __name__ == "__main__":
    page = Path(__file__).parents[1] / "docs" / "conformance.md"
    page.write_text(filled_in(page.read_text(encoding="utf-8")), encoding="utf-8")
