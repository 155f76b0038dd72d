"""Which version a tag or a title names."""

import json

import pytest
from component_files import FILES
from hypothesis import given
from hypothesis import strategies as st

from package_versions.parsing import version_of_tag, version_of_title

TAGS = [
    ("v1.2.3", "1.2.3", ""),
    ("1.2.3", "1.2.3", ""),
    ("@scope/pkg@1.2.3-beta.1", "1.2.3-beta.1", "@scope/pkg"),
    ("sdk/v2.0.0-rc.1", "2.0.0-rc.1", "sdk"),
    ("curl-8_5_0", "8.5.0", "curl"),
    ("REL_16_4", "16.4", ""),
    ("jr-6-4-3", "6.4.3", "jr"),
    ("v277", "277", ""),
    ("1.13.0-3", "1.13.0-3", ""),
    ("v2024-11-20", "2024-11-20", ""),
    ("jdk-21+35", "21+35", "jdk"),
    ("v1.7.0.alpha", "1.7.0.alpha", ""),
    ("es6-shim-0.35.0", "0.35.0", "es6-shim"),
    ("azure-storage-blob_12.20.0", "12.20.0", "azure-storage-blob"),
]


@pytest.mark.parametrize(("tag", "version", "package"), TAGS)
def test_a_tag_names_a_version(tag, version, package):
    assert version_of_tag(tag) == (version, package)


@pytest.mark.parametrize(
    "tag", ["nightly", "latest", "2.x", "RELEASE.2024-05-01T01-11-10Z", "", "a" * 300 + "-1.2.3"]
)
def test_a_tag_without_a_version_names_none(tag):
    assert version_of_tag(tag) is None


@pytest.mark.parametrize(
    ("tag", "version"), json.loads((FILES / "versions.json").read_text("utf-8"))["tags"].items()
)
def test_a_tag_is_read_whole_or_not_at_all(tag, version):
    found = version_of_tag(tag)

    assert (found and found[0]) == version


@pytest.mark.parametrize(
    ("title", "version"),
    [
        ("[1.28.1] - 2017-03-19", "1.28.1"),
        ("Version 1.3 supports Atom 0.3", "1.3"),
        ("Ruby 1.8.6-p368", "1.8.6-p368"),
        ("1.6.2 llamacorn-lovehug (2017-02-07)", "1.6.2"),
        ("1.0a8 (2024-02-07)", "1.0a8"),
        ("Node.js 20.1.0 released", "20.1.0"),
        ("[0.31.0](https://acme.example/compare/v0.30.0...v0.31.0)", "0.31.0"),
        ("**0.10.0** — Jun 29", "0.10.0"),
        ("GitLab 17.5 released with Duo", "17.5"),
        ("[2026-08-11] Version 9.11.0", "9.11.0"),
        ("2.0.2 / 2015-07-14", "2.0.2"),
        ("module-symfony 3.10.1: 3.10.1", "3.10.1"),
        ("🎉 Release 3.5.0", "3.5.0"),
        ("lib-mail 1.13.1: mends what 1.13.0 broke", "1.13.1"),
    ],
)
def test_a_title_is_about_a_version(title, version):
    assert version_of_title(title) == (version, "")


@pytest.mark.parametrize(
    "title",
    [
        "Support for PHP 8.3",
        "Security releases issued: 4.2.4 and 4.1.10",
        "PostgreSQL 16.4, 15.8, 14.13 Released",
        "4.2.4 and 4.1.10",
        "2.5 million users",
        "Acme now has 277.000 users",
        "Kubernetes 1.30: end of life on May 1, move to 1.31",
        "2024-05-01 / 1.2.3, 1.2.4",
        "CVE-2026-2796",
        "Windows 10, version 22H2 will reach its end",
        "September 16, 2024",
        "Grok 4",
        "",
        "API v1 will be removed",
        "API v1 stays a while longer",
        "REST API v3: what comes next",
        "v2 endpoints answer faster",
        "Grok 4.5 Model Card",
        "Acme 3.1 Migration Guide",
        "Acme 3.1 benchmark",
        "Acme 1.30 reaches its end of life",
        "Acme 18 is deprecated",
        "Caldash 2026-06-02.1",
        "v2026-06-02.3",
        "Spring Cloud Hoxton.SR12",
    ],
)
def test_a_title_about_something_else_is_about_no_version(title):
    assert version_of_title(title) is None


@given(st.text(max_size=400))
def test_any_text_can_be_read(text):
    version_of_tag(text)
    version_of_title(text)


@given(st.from_regex(r"[0-9]{1,3}(\.[0-9]{1,3}){1,3}(-(rc|beta)\.[0-9]{1,2})?", fullmatch=True))
def test_a_version_is_the_same_in_every_frame(version):
    for tag in (
        version,
        f"v{version}",
        f"acme@{version}",
        f"acme-v{version}",
        f"release-{version}",
    ):
        assert version_of_tag(tag)[0] == version
    for title in (f"Acme {version}", f"Acme {version} released", f"Version {version}"):
        assert version_of_title(title)[0] == version
