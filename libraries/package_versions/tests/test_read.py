"""Names in pasted files: every format, and files that mean harm."""

import time
from contextlib import suppress

import pytest
from component_files import FORMS
from hypothesis import given
from hypothesis import strategies as st

from package_versions.component import MOST, Component, Unreadable, repository_in
from package_versions.read import LARGEST_BYTES, MOST_LINES, read_components


@pytest.mark.parametrize("form", FORMS)
def test_each_format_is_known_by_its_content(form):
    document, found = FORMS[form]

    read = read_components(document).components

    assert [(c.type, c.name, c.version, c.repository, c.line) for c in read] == found


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (b"", "This file is empty"),
        (b" \n\t", "This file is empty"),
        (b'{"a": ' + b"[" * 5_000 + b"]" * 5_000 + b"}", "nested too deeply"),
        (b"\xff\xfe\x00", "not UTF-8 text"),
        (b"{", "not valid JSON"),
        (b"[" * 60_000, "nested too deeply"),
        (b"[1]", "neither a package.json nor an SBOM"),
        (b'{"a": 1}', "neither a package.json"),
        (b'{"bomFormat": "CycloneDX", "components": 7}', "names nothing"),
        (b"flask==3\n<script>alert(1)</script>\n<b>", "Line 2 is not a valid requirement"),
        (b"../../etc/passwd", "Line 1: ../../etc/passwd: a local path without a project name."),
        (b"# nothing\n", "names nothing"),
        (b"flask\x00==3", "NUL"),
        (b" " * (LARGEST_BYTES + 1), "larger than 64 MB"),
        (b"[[package]]\nname = " + b"[" * 100_000, "not valid TOML|nested"),
        (b"[[package]]\nname = 1 2", "not valid TOML"),
        (b'{"lockfileVersion": 3, "packages": []}', "names nothing"),
        (b"lockfileVersion: '9.0'\n", "names nothing"),
        (b"-r base.txt\n", "Line 1: -r base.txt: includes another file"),
        (b"\n".join(b"p%d==1" % number for number in range(MOST + 1)), "more than 20,000"),
    ],
)
def test_what_cannot_be_read_gets_one_clear_line(document, fault):
    with pytest.raises(Unreadable, match=fault) as caught:
        read_components(document)

    assert "\n" not in str(caught.value)


MAVEN = "mvn org.cyclonedx:cyclonedx-maven-plugin:makeAggregateBom"


@pytest.mark.parametrize(
    ("document", "advice"),
    [
        (b'<?xml version="1.0"?>\n<project xmlns="http://maven.apache.org/POM/4.0.0"/>', MAVEN),
        (b"<!-- <bom> -->\n<!DOCTYPE project [<!ENTITY a 'b'>]>\r\n<project>&a;</project>", MAVEN),
        (b'<bom xmlns="http://cyclonedx.org/schema/bom/1.6"/>', "Export the SBOM as JSON"),
        (b'<cdx:bom xmlns:cdx="http://cyclonedx.org/schema/bom/1.6"/>', "Export the SBOM as JSON"),
        (b'<opml version="2.0"><body/></opml>', "Import it where you select sources"),
        (b"<script>alert(1)</script>", "Use a lockfile or an SBOM in JSON"),
        (b"<", "Use a lockfile or an SBOM in JSON"),
        (b"SPDXVersion: SPDX-2.3\r\nPackageName: a\r\n", "dependency graph on GitHub"),
        (b"# ours\n\nARG TAG=22\nFROM node:${TAG}\n", "cdxgen -t docker IMAGE -o bom.json"),
        (b"\r\nFROM node:22\r\n", "cdxgen -t docker IMAGE -o bom.json"),
        (b"apiVersion: v2\nname: ours\ndependencies: []\n", "A Helm chart is not supported"),
        (b"dependencies: []\ngenerated: 2026-01-01\n", "A Helm chart is not supported"),
    ],
)
def test_a_format_that_is_not_read_is_refused_with_what_to_use_instead(document, advice):
    with pytest.raises(Unreadable) as refused:
        read_components(document)

    assert advice in str(refused.value)
    assert str(refused.value).isprintable()


@given(st.binary(max_size=3000) | st.text(max_size=3000).map(str.encode))
def test_whatever_is_pasted_is_read_or_refused(document):
    with suppress(Unreadable):
        assert read_components(document).components


@pytest.mark.parametrize(
    ("text", "repository"),
    [
        ("https://github.com/Acme/Tool", "acme/tool"),
        ("git@github.com:acme/tool.git", "acme/tool"),
        ("github.com/acme/tool/v2/sub", "acme/tool"),
        ("https://notgithub.com/acme/tool", None),
        ("https://github.com.evil.example/acme/tool", None),
        ("https://github.com/acme", None),
    ],
)
def test_a_repository_is_read_only_where_github_is_named(text, repository):
    assert repository_in(text) == repository


def test_a_part_has_a_page_to_ask_for_where_its_registry_is_known():
    assert Component("npm", "@acme/mail").page.endswith("/package/@acme/mail")
    assert Component("pypi", "a b").page.endswith("/project/a%20b/")
    assert Component("maven", "org.acme:m").page.endswith("/artifact/org.acme/m")
    assert Component("npm", "x", "acme/mail").page == "https://github.com/acme/mail"
    assert Component("conan", "x").page is None


@given(st.sampled_from(sorted(FORMS)), st.data())
def test_a_damaged_file_is_read_or_refused(form, data):
    document, _ = FORMS[form]
    start = data.draw(st.integers(0, len(document)))
    end = data.draw(st.integers(start, len(document)))
    filler = data.draw(st.binary(max_size=20))

    with suppress(Unreadable):
        for component in read_components(document[:start] + filler + document[end:]).components:
            assert component.version is None or 0 < len(component.version) <= 100
            assert len(component.name) <= 300


@pytest.mark.parametrize(
    ("component", "purl"),
    [
        (Component("npm", "@acme/mail", version="2.0.0"), "pkg:npm/%40acme/mail@2.0.0"),
        (Component("maven", "org.acme:mail", version="1"), "pkg:maven/org.acme/mail@1"),
        (Component("golang", "k8s.io/api", version="v0.31.0"), "pkg:golang/k8s.io/api@v0.31.0"),
        (Component("docker", "node"), "pkg:docker/node"),
        (
            Component("docker", "astral-sh/uv", version="0.5.1", registry="ghcr.io"),
            "pkg:docker/astral-sh/uv@0.5.1?repository_url=ghcr.io",
        ),
    ],
)
def test_a_component_has_a_package_url(component, purl):
    assert component.purl == purl


N = 400_000


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("flask" + " " * N + "==1.0", id="spaces in a requirement"),
        pytest.param("flask==1.0 " + "\\\n" * N, id="a requirement that goes on"),
        pytest.param("flask[" + "a," * N + "]", id="extras of a requirement"),
        pytest.param("flask==1 ;" + "(" * N, id="brackets in a marker"),
        pytest.param("a==1\n" * N, id="the same requirement again and again"),
        pytest.param("a ?\n" * N, id="lines that are none"),
        pytest.param("GEM\n  specs:\n    a (" + "1" * N, id="the version of a gem"),
        pytest.param("lockfileVersion: 9\npackages:\n  a@1" + "1" * N, id="a key of pnpm"),
        pytest.param("[[package]]\nname = 'a'\n" * N, id="the same package again and again"),
        pytest.param("flask==1\n" + "\n" * MOST_LINES, id="empty lines"),
        pytest.param("#\n" * N + "FRO", id="comments before what may be a Dockerfile"),
        pytest.param("<!--" * N, id="comments of XML that do not end"),
    ],
)
def test_a_file_takes_no_longer_than_its_length(text):
    document = text.encode()
    started = time.process_time()

    with suppress(Unreadable):
        read_components(document)

    assert time.process_time() - started < 3
