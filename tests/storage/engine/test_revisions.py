"""Which programs go with which databases."""

import pytest

from storage.engine.database import is_compatible


@pytest.mark.parametrize(
    ("program", "database", "goes"),
    [
        ("0005", "0005", True),
        ("0005", "2030", True),
        ("0005", "0004", False),
        ("0009", "0012_from_0009", True),
        ("0008", "0012_from_0009", False),
        ("0012_from_0009", "0013", True),
        ("0005", None, False),
        ("0005", "0012_from_", False),
    ],
)
def test_a_newer_database_goes_with_an_older_program_unless_its_name_says_otherwise(
    program, database, goes
):
    assert is_compatible(program, database) is goes
