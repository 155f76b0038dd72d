"""A source is proposed where it is certain, and nowhere else."""

import pytest

from package_versions.component import Component
from storage.catalog.proposals import KnownSources, propose, source_of

KNOWN = KnownSources(
    by_repository={"acme/tool": ["acme.tool"], "acme/two": ["acme.one", "acme.other"]},
    by_alias={"@acme/mail": ["acme.mail"], "both": ["acme.a", "acme.b"]},
    by_part={
        "pkg:docker/acme": ["acme.image", "acme.tool"],
        "pkg:docker/acme/mail?repository_url=ghcr.io": ["acme.mail"],
        "pkg:helm/mail?repository_url=charts.acme.example": ["acme.charts"],
        "pkg:golang/acme.example/m": ["acme.m"],
    },
)


@pytest.mark.parametrize(
    ("component", "slug"),
    [
        (Component("npm", "tool", "acme/tool"), "acme.tool"),
        (Component("docker", "acme", version="1.0"), "acme.image"),
        (Component("docker", "acme", registry="other.example"), None),
        (Component("docker", "acme/mail", registry="ghcr.io"), "acme.mail"),
        (Component("docker", "acme/mail"), None),
        (Component("helm", "mail", registry="charts.acme.example"), "acme.charts"),
        (Component("helm", "mail"), None),
        (Component("golang", "acme.example/M/v2"), "acme.m"),
        (Component("npm", "@acme/mail"), "acme.mail"),
        (Component("npm", "@Acme/Mail"), None),
        (Component("npm", "tool"), None),
        (Component("npm", "both"), None),
        (Component("npm", "x", "acme/two"), None),
    ],
)
def test_a_source_has_to_be_meant_alone(component, slug):
    assert source_of(component, KNOWN) == slug


def test_what_is_followed_is_not_proposed_again():
    parts = [Component("npm", name, "acme/tool") for name in ("a", "b")]

    made = propose([*parts, Component("npm", "x")], KNOWN, {"acme.tool"})

    assert (made.followed, made.proposed) == ({"acme.tool": parts}, {})
    assert [part.name for part in made.missing] == ["x"]
