"""Which programs go with which databases."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.engine.revisions import is_compatible

NUMBERS = st.integers(1, 9999).map("{:04}".format)


@given(NUMBERS, NUMBERS)
def test_a_newer_database_goes_with_every_older_program_unless_its_name_says_otherwise(mine, its):
    assert is_compatible(mine, its) is (its >= mine)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_name_says_the_oldest_program(mine, its, oldest):
    assert is_compatible(mine, f"{its}_from_{oldest}") is (its > mine >= oldest)


@given(NUMBERS, NUMBERS, NUMBERS)
def test_a_program_of_such_a_revision_goes_with_what_follows(mine, its, oldest):
    assert is_compatible(f"{mine}_from_{oldest}", its) is (its > mine)


@pytest.mark.parametrize("odd", [None, "", "2030", "12", "00012", "0012_from_", "0012_FROM_0001"])
def test_what_is_no_revision_of_ours_does_not_go(odd):
    assert is_compatible("0005", odd) is (odd == "2030")


def test_a_program_goes_with_its_own():
    assert is_compatible("0012_from_0009", "0012_from_0009")
