"""The parts of a file are sorted by the sources that they have."""

import pytest

from package_versions.component import Component
from package_versions.package_index import IndexName
from storage.catalog.packages import PartSources
from storage.catalog.proposals import propose

WANTED = PartSources(wanted=IndexName("npm", "new"), is_looked_up=True)
KNOWN = {
    "pkg:npm/a": PartSources(("acme.other", "acme.tool")),
    "pkg:npm/b": PartSources(("acme.tool",)),
    "pkg:npm/new": WANTED,
    "pkg:npm/none": PartSources(),
}


@pytest.mark.parametrize(
    ("chosen", "followed", "proposed"),
    [
        (set(), [], ["acme.other", "acme.tool"]),
        ({"acme.tool"}, ["acme.tool"], []),
        ({"acme.other"}, ["acme.other"], ["acme.tool"]),
    ],
)
def test_what_is_followed_is_not_proposed_again(chosen, followed, proposed):
    parts = [Component("npm", name) for name in ("a", "b", "none")]

    made = propose(parts, KNOWN, chosen, looks_up=True)

    assert ([*made.followed], [*made.proposed]) == (followed, proposed)
    assert [part.name for part in made.missing] == ["none"]


@pytest.mark.parametrize(("looks_up", "looked_up"), [(True, ["new"]), (False, [])])
def test_what_is_being_looked_up_is_not_missing_yet(looks_up, looked_up):
    made = propose([Component("npm", "new")], KNOWN, (), looks_up=looks_up)

    assert [part.name for part in made.looked_up] == looked_up
    assert len(made.missing) == 1 - len(looked_up)
