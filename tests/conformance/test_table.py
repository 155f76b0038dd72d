"""The page that shows which check sees which sentence."""

from pathlib import Path

from conformance.checks import CHECKS
from conformance.table import BEGIN, END, as_markdown, filled_in

PAGE = Path(__file__).parents[2] / "docs" / "conformance.md"


def test_the_table_in_the_docs_is_fresh():
    page = PAGE.read_text(encoding="utf-8")

    assert filled_in(page) == page, "run: python -m conformance.table"


def test_every_check_has_a_row():
    rows = as_markdown().splitlines()

    assert all(any(f"`{check.name}`" in row for row in rows) for check in CHECKS)
    assert {row.count("|") - row.count("\\|") for row in rows} == {5}


def test_only_the_table_is_written_anew():
    page = f"before\n{BEGIN}\nold\n{END}\nafter\n"

    assert filled_in(page) == f"before\n{BEGIN}\n{as_markdown()}\n{END}\nafter\n"
