"""Plans of upgrades: what is in a range, in which order, and what is said not to be known."""

import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from package_versions import upgrades
from package_versions.ordering import Ecosystem, parse_version
from package_versions.package_urls import PackageUrl
from package_versions.release_order import parse_release
from package_versions.upgrades import KnownRelease, UpgradeRange, plan_upgrade

START = datetime(2026, 1, 1, tzinfo=UTC)
DAY = timedelta(days=1)
NUMBERS = st.tuples(*[st.integers(0, 12)] * 3).map(lambda numbers: ".".join(map(str, numbers)))
STAGES = {
    Ecosystem.NPM: ["-alpha.1", "-beta.2", "-rc.1", "-rc.10"],
    Ecosystem.PYPI: ["a1", "b2", "rc1", "rc10"],
    Ecosystem.GEM: [".alpha1", ".beta2", ".rc1", ".rc10"],
    Ecosystem.MAVEN: ["-alpha-1", "-beta-2", "-rc-1", "-SNAPSHOT"],
    Ecosystem.GITHUB: ["-alpha.1", "-beta.2", "-rc.1", "-rc.10"],
}
ECOSYSTEMS = st.sampled_from(list(STAGES))


def part(ecosystem):
    return PackageUrl.parse(f"pkg:{ecosystem}/acme/compute")


def release(key, version, *, package=None, prerelease=None, breaks=False):
    return KnownRelease(key, version, package, prerelease, START + key * DAY, breaks)


def releases(*versions, **more):
    return [release(key, version, **more) for key, version in enumerate(versions)]


def planned(purl, from_, to, known):
    return plan_upgrade(UpgradeRange(PackageUrl.parse(purl), from_, to), known)


def versions_of(plan):
    return [each.version for each in plan.releases]


def reasons(remarks):
    return [remark.reason for remark in remarks]


@given(data=st.data(), ecosystem=ECOSYSTEMS)
def test_a_range_has_the_versions_that_the_ecosystem_orders_in_between(data, ecosystem):
    version = st.tuples(NUMBERS, st.sampled_from(["", "", *STAGES[ecosystem]])).map("".join)
    known = data.draw(st.lists(version, max_size=15))
    start, end = data.draw(version), data.draw(version)
    plan = plan_upgrade(UpgradeRange(part(ecosystem), start, end), releases(*known))
    low, high = parse_version(start, ecosystem), parse_version(end, ecosystem)
    named = any(text.endswith(tuple(STAGES[ecosystem])) for text in (start, end))

    expected = [
        text
        for text in known
        if low < (it := parse_version(text, ecosystem))
        and not high < it
        and (named or not text.endswith(tuple(STAGES[ecosystem])))
    ]
    found = versions_of(plan)
    assert sorted(found) == sorted(expected)
    orders = [parse_version(text, ecosystem) for text in found]
    assert not any(after < before for before, after in pairwise(orders))


@given(st.lists(st.tuples(NUMBERS, st.booleans())))
def test_what_breaks_comes_first(drawn):
    known = [release(key, version, breaks=breaks) for key, (version, breaks) in enumerate(drawn)]
    found = planned("pkg:npm/acme", None, None, known).releases

    assert [each.breaks for each in found] == sorted((each.breaks for each in found), reverse=True)


@given(ECOSYSTEMS, st.lists(st.text(max_size=12) | NUMBERS, max_size=12), st.text(max_size=12))
def test_every_entry_is_in_the_plan_or_spoken_of_or_out_of_the_range(ecosystem, versions, end):
    plan = plan_upgrade(UpgradeRange(part(ecosystem), None, end), releases(*versions))
    told = {key for remark in plan.unknown for key in remark.keys}

    if "to_not_comparable" not in reasons(plan.unknown):
        for each in releases(*versions):
            parsed = parse_release(each.version, ecosystem)
            assert (parsed is None) == (each.key in told)


@pytest.mark.parametrize(
    ("purl", "from_", "to", "expected"),
    [
        ("pkg:npm/acme", "1.0", "1.2", ["1.1", "1.2.0"]),
        ("pkg:deb/debian/acme", "1:1.0-3", "1:1.2+dfsg-1", ["1.1", "1.2.0"]),
        ("pkg:deb/debian/acme", "1.1-1", "1.1-9", []),
        ("pkg:rpm/fedora/acme", "0:1.0-3.fc40", "1.1-1.fc40", ["1.1"]),
        ("pkg:golang/github.com/acme/acme", "v1.0.0", "v1.2.0", ["1.1", "1.2.0"]),
    ],
)
def test_versions_of_vendors_are_read_as_the_registry_would(purl, from_, to, expected):
    known = releases("1.0", "1.1", "1.2.0", "2.0.0-rc.1")

    assert versions_of(planned(purl, from_, to, known)) == expected


def test_what_github_calls_a_prerelease_is_one():
    known = [*releases("1.0", "2.0"), release(2, "1.5", prerelease=True)]

    assert versions_of(planned("pkg:github/acme/acme", "1.0", None, known)) == ["2.0"]
    with_them = planned("pkg:github/acme/acme", "1.0", "2.0-rc1", known)
    assert versions_of(with_them) == ["1.5"]


def test_what_github_calls_no_prerelease_is_none():
    known = [*releases("1.0"), release(1, "1.1-rc1", prerelease=False), release(2, "1.1-rc2")]

    assert versions_of(planned("pkg:github/acme/acme", "1.0", None, known)) == ["1.1-rc1"]


@pytest.mark.parametrize(
    ("purl", "expected", "others"),
    [
        ("pkg:npm/%40acme/core", [2], 3),
        ("pkg:github/acme/acme", [0, 1], 2),
        ("pkg:npm/unheard-of", [0, 1], 2),
    ],
)
def test_of_a_monorepo_only_the_releases_of_the_part_count(purl, expected, others):
    known = [
        *releases("1.0.0", "1.1.0"),
        release(2, "1.0.5", package="@acme/core"),
        release(3, "9.0.0", package="@acme/cli"),
    ]
    plan = planned(purl, None, None, known)

    assert [each.key for each in plan.releases] == expected
    (remark,) = (it for it in plan.unknown if it.reason == "other_package")
    assert len(remark.keys) == others


def test_the_only_package_that_tags_name_is_the_part():
    known = releases("12.0.1", "12.0.2", package="jetty")

    assert versions_of(planned("pkg:github/acme/jetty.project", None, None, known)) == [
        "12.0.1",
        "12.0.2",
    ]


@pytest.mark.parametrize(
    ("from_", "to", "expected"),
    [
        ("1.0", "2.0", []),
        ("1.1", "2.0", ["not_listed"]),
        ("0.1", "1.0", ["before_history"]),
        ("99.0", None, ["after_history"]),
        ("99.0", "99.1", ["after_history"]),
        ("2.0", None, []),
    ],
)
def test_a_bound_that_no_entry_names_is_told(from_, to, expected):
    plan = planned("pkg:npm/acme", from_, to, releases("1.0", "1.5", "2.0"))

    assert reasons(plan.gaps) == expected


@pytest.mark.parametrize(
    ("purl", "form"),
    [
        pytest.param("pkg:gem/acme", "{}.{}.rc{}", id="gem"),
        pytest.param("pkg:maven/acme/acme", "1" + 40 * "-1" + "-{}-{}-{}", id="maven"),
    ],
)
def test_thousands_of_versions_are_compared_in_a_moment(purl, form):
    known = releases(*[form.format(n % 10, n % 7, n) for n in range(8_000)])

    began = time.process_time()
    plan = planned(purl, "0.0.1-rc1", "99", known)

    assert time.process_time() - began < 2
    assert len(plan.releases) > 7_000


def test_of_too_many_versions_the_newest_are_compared_and_that_is_told(monkeypatch):
    monkeypatch.setattr(upgrades, "MOST_COMPARED", 2)
    plan = planned("pkg:npm/acme", "0.1", None, releases("1.0", "3.0", "2.0", "1.5"))

    (gap,) = plan.gaps
    assert versions_of(plan) == ["1.5", "2.0"]
    assert (gap.reason, gap.keys) == ("not_compared", ())
    assert gap.text == "Only the newest 2 entries of its sources were compared."
