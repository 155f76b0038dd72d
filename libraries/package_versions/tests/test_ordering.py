"""Versions are ordered by the rules of their ecosystem.

The chains were put in order by the ecosystems' own tools: npm's semver, RubyGems, dpkg, rpm, Go's
module library, Maven 3.9, PyPA's packaging.
"""

import json
import string
import time
from itertools import combinations, pairwise

import pytest
from component_files import FILES
from hypothesis import example, given
from hypothesis import strategies as st
from packaging.version import Version as PythonVersion

from package_versions.ordering import Ecosystem, parse_version, sort_key
from package_versions.release_order import is_prerelease, parse_release

CHAINS = {
    Ecosystem.CARGO: "0.9.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta.2 1.0.0-beta.11 1.0.0 1.10.0",
    Ecosystem.NPM: "1.2.3-next.9 1.2.3-next.10 1.2.3-rc.1 1.2.3 1.2.10 2.0.0-0 2.0.0",
    Ecosystem.HELM: "1.0.0-rc.1 v1.0.0 1.0.1",
    Ecosystem.GOLANG: "v0.0.0-20240101000000-abcdefabcdef v1.2.3 v1.10.0-rc.1 v1.10.0 "
    "v2.0.0+incompatible",
    Ecosystem.PYPI: "1.0.dev1 1.0a1 1.0b2 1.0rc1 1.0 1.0.post1 1.0.1 1!0.1",
    Ecosystem.GEM: "1.0.a 1.0.pre.2 1.0.pre.10 1.0.rc1 1.0 1.0.1 1.10",
    Ecosystem.DEB: "1.0~rc1-1 1.0-1~bpo12+1 1.0-1 1.0-1ubuntu1 1.0-1+deb12u1 1.0+dfsg-1 1:0.1-1",
    Ecosystem.RPM: "1.0~rc1-1.el9 1.0-1.el9 1.0-2.el9 1.0.1-1.el9 1.10-1.el9",
    Ecosystem.MAVEN: "1.0-alpha-1 1.0-beta-1 1.0-beta-11 1.0.M1 1.0-rc1 1.0-SNAPSHOT 1.0.Final "
    "1.0-sp1 1.0-jre 1.0.1 1.10",
    Ecosystem.GITHUB: "v1.7.0.alpha v1.7.0.beta 1.7.0rc2 1.7.0-rc.10 1.7.0.Final 1.7.0-1 "
    "1.7.0-p368 1.7.1 2.1.8.0 v277 2024.11.2 2024-12-01",
    Ecosystem.DOCKER: "3.9 3.10-rc1 3.10",
    Ecosystem.GENERIC: "1.0-dev 1.0a1 1.0 1.0-hotfix2",
}


TABLE = json.loads((FILES / "versions.json").read_text("utf-8"))


def pairs():
    return [
        pytest.param(Ecosystem(ecosystem), first, second, id=f"{ecosystem}: {first} < {second}")
        for ecosystem, chain in [*CHAINS.items(), *TABLE["orders"]]
        for first, second in combinations(chain.split(), 2)
    ]


@pytest.mark.parametrize(("ecosystem", "first", "second"), pairs())
def test_a_chain_is_in_order(ecosystem, first, second):
    assert parse_version(first, ecosystem) < parse_version(second, ecosystem)
    assert not parse_version(second, ecosystem) < parse_version(first, ecosystem)


@pytest.mark.parametrize(("ecosystem", "version", "expected"), TABLE["prereleases"])
def test_a_release_is_a_prerelease_only_by_a_stage_before_it(ecosystem, version, expected):
    assert is_prerelease(version, Ecosystem(ecosystem)) is expected


@pytest.mark.parametrize(
    ("ecosystem", "one", "same"),
    [
        (Ecosystem.PYPI, "1.0", "1.0.0"),
        (Ecosystem.GEM, "1.0", "1.0.0"),
        (Ecosystem.MAVEN, "1.0", "1.0.0"),
        (Ecosystem.MAVEN, "1.0.RELEASE", "1.0-ga"),
        (Ecosystem.MAVEN, "2.0-0dev", "2-0.dev"),
        (Ecosystem.GITHUB, "v1.2.0", "1.2"),
        (Ecosystem.GITHUB, "1.0+build.5", "1.0"),
    ],
)
def test_two_ways_to_write_a_version_are_one(ecosystem, one, same):
    first, second = parse_version(one, ecosystem), parse_version(same, ecosystem)

    assert not first < second
    assert not second < first


@pytest.mark.parametrize(
    ("ecosystem", "text"),
    [
        (Ecosystem.NPM, "1.2"),
        (Ecosystem.NPM, "latest"),
        (Ecosystem.PYPI, "1.2.3-linux"),
        (Ecosystem.MAVEN, "release-1"),
        (Ecosystem.GITHUB, "1.2.3-linux"),
        (Ecosystem.GITHUB, "2024-11-20.acacia"),
        (Ecosystem.GITHUB, ""),
        (Ecosystem.GITHUB, "١.٢"),
        (Ecosystem.GITHUB, "1." * 60 + "1"),
        (Ecosystem.DEB, "~"),
        (Ecosystem.GEM, "-1"),
        (Ecosystem.RPM, " "),
    ],
)
def test_what_is_no_version_cannot_be_compared(ecosystem, text):
    assert parse_version(text, ecosystem) is None


WRITTEN = st.text(string.ascii_letters + string.digits + ".-_+~^:! ", max_size=30)


@given(st.sampled_from(Ecosystem), WRITTEN, WRITTEN, WRITTEN)
def test_any_texts_that_can_be_compared_are_in_one_order(ecosystem, one, two, three):
    parsed = [v for v in (parse_version(t, ecosystem) for t in (one, two, three)) if v is not None]
    ordered = sorted(parsed)

    assert not any(later < earlier for earlier, later in pairwise(ordered))


@given(st.sampled_from(Ecosystem), WRITTEN, WRITTEN)
@example(Ecosystem.GEM, "1.a.0.b", "1.a")
@example(Ecosystem.GEM, "1.0.0.2", "1.0.2")
@example(Ecosystem.NPM, "1.0.0-rc.10", "1.0.0-rc.x")
@example(Ecosystem.NPM, "1.0.0-rc", "1.0.0-rc.1")
def test_versions_sort_by_their_keys_as_by_themselves(ecosystem, one, two):
    first, second = parse_version(one, ecosystem), parse_version(two, ecosystem)

    if first is not None and second is not None:
        assert (sort_key(first) < sort_key(second)) == (first < second)


NUMBERS = st.lists(st.integers(0, 10**6), min_size=1, max_size=4)
STAGES = st.sampled_from(["", "a1", "b2", "rc3", ".dev4", ".post5"])
PYTHON = st.builds(lambda numbers, stage: ".".join(map(str, numbers)) + stage, NUMBERS, STAGES)


@given(PYTHON, PYTHON)
def test_a_version_of_unknown_ecosystem_is_ordered_as_python_would(one, two):
    general = [parse_version(text, Ecosystem.GITHUB) for text in (one, two)]

    assert (general[0] < general[1]) == (PythonVersion(one) < PythonVersion(two))


@pytest.mark.parametrize("ecosystem", Ecosystem)
def test_no_text_takes_long_to_read(ecosystem):
    pieces = ("a", "1", "1.", "1a", "a-", ".", "~", "+a", "rc1")
    texts = [f"1.0{(piece * 22)[:22]}{end}" for piece in pieces for end in ("", "!", "~")]
    began = time.perf_counter()

    for text in texts:
        parse_version(text, ecosystem)
        parse_release(text, ecosystem)

    assert time.perf_counter() - began < 1
