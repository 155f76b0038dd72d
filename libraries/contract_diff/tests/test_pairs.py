"""Pairs of contracts after public reports of other tools, each with the verdict that it needs."""

import json
from pathlib import Path

import pytest

from contract_diff import Severity, compare
from contract_diff.parse import parse_contract
from contract_diff.readable import reasons_not_to_compare

PAIRS = Path(__file__).parent / "pairs"
HARMLESS, BREAKING, UNREADABLE = range(3)


def verdict(pair: Path) -> int:
    try:
        old, new = (
            parse_contract(next(pair.glob(f"{name}.*")).read_bytes()) for name in ("old", "new")
        )
    except ValueError:
        return UNREADABLE
    assert [*reasons_not_to_compare(old), *reasons_not_to_compare(new)] == []
    breaks = any(change.severity is Severity.BREAKING for change in compare(old, new))
    return BREAKING if breaks else HARMLESS


@pytest.mark.parametrize("name", sorted(path.name for path in PAIRS.iterdir()))
def test_a_pair_gets_the_verdict_that_its_specification_says(name):
    expected = json.loads((PAIRS / name / "expect.json").read_text("utf-8"))
    assert verdict(PAIRS / name) == expected["exit"], expected["why"]
