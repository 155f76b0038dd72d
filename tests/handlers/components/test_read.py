"""Names in pasted files: every format, and files that mean harm."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.components.component import Component, Unreadable, repository_in
from handlers.components.read import MOST, read_components

REQUIREMENTS = b"""
# ours
Flask==3.1.3 --hash=sha256:00  # why
SQLAlchemy[asyncio]>=2.1 ; python_version > "3.8"
-r more.txt
--index-url https://packages.example/simple
tool @ git+https://github.com/Acme/Tool.git@main
"""
GO_MOD = b"""module example.org/ours

go 1.23

require (
\tgithub.com/Gorilla/mux v1.8.1 // indirect
\tgithub.com/aws/aws-sdk-go-v2/service/s3 v1.2.3
\tgolang.org/x/net v0.30.0
)
require k8s.io/api v0.31.0
"""
GEMFILE_LOCK = b"""GIT
  remote: https://github.com/rails/rails.git
  revision: abc
  specs:
    rails (8.0.0)
      actionpack (= 8.0.0)

GEM
  remote: https://rubygems.org/
  specs:
    rack (3.1.8)

DEPENDENCIES
  rack
"""
POM = b"""<?xml version="1.0"?><project xmlns="http://maven.apache.org/POM/4.0.0"><dependencies>
<dependency><groupId>org.acme</groupId><artifactId>mail</artifactId></dependency>
<dependency><groupId>${project.groupId}</groupId><artifactId>own</artifactId></dependency>
</dependencies></project>"""
PACKAGE = {
    "name": "ours",
    "dependencies": {"react": "^19", "@sentry/node": "8", "tool": "github:Acme/Tool"},
    "devDependencies": {"vite": "6"},
}
CYCLONEDX = {
    "bomFormat": "CycloneDX",
    "components": [
        {"purl": "pkg:github/Acme/Tool@1"},
        {
            "purl": "pkg:npm/%40acme/mail@2",
            "externalReferences": [{"type": "vcs", "url": "git@github.com:acme/mail.git"}],
        },
        {"purl": "nonsense"},
        {"name": "without"},
    ],
}
SPDX = {
    "spdxVersion": "SPDX-2.3",
    "packages": [
        {
            "downloadLocation": "git+https://github.com/acme/mail",
            "externalRefs": [
                {"referenceType": "purl", "referenceLocator": "pkg:maven/org.acme/mail@1"}
            ],
        }
    ],
}
OPML = b"""<opml version="2.0"><body><outline text="news">
<outline text="Acme" xmlUrl="https://acme.example/feed" htmlUrl="https://acme.example/log"/>
</outline></body></opml>"""
BOM_XML = b"""<bom xmlns="http://cyclonedx.org/schema/bom/1.6"><components>
<component><purl>pkg:golang/github.com/acme/tool@v1</purl></component></components></bom>"""


@pytest.mark.parametrize(
    ("document", "found"),
    [
        (REQUIREMENTS, [("pypi", "flask", None), ("pypi", "sqlalchemy", None),
                        ("pypi", "tool", "acme/tool")]),
        (GO_MOD, [("golang", "github.com/aws/aws-sdk-go-v2/service/s3", "aws/aws-sdk-go-v2"),
                  ("golang", "github.com/Gorilla/mux", "gorilla/mux"),
                  ("golang", "golang.org/x/net", None), ("golang", "k8s.io/api", None)]),
        (GEMFILE_LOCK, [("gem", "rack", None), ("gem", "rails", "rails/rails")]),
        (POM, [("maven", "org.acme:mail", None)]),
        (json.dumps(PACKAGE).encode(), [("npm", "@sentry/node", None), ("npm", "react", None),
                                        ("npm", "tool", "acme/tool"), ("npm", "vite", None)]),
        (json.dumps(CYCLONEDX).encode(), [("npm", "@acme/mail", "acme/mail"),
                                          ("github", "acme/tool", "acme/tool")]),
        (json.dumps(SPDX).encode(), [("maven", "org.acme:mail", "acme/mail")]),
        (BOM_XML, [("golang", "github.com/acme/tool", "acme/tool")]),
        (OPML, [("feed", "Acme", None)]),
    ],
    ids=["requirements", "go.mod", "Gemfile.lock", "pom", "package", "cyclonedx", "spdx",
         "cyclonedx-xml", "opml"],
)  # fmt: skip
def test_each_format_is_known_by_its_content(document, found):
    assert [(c.type, c.name, c.repository) for c in read_components(document)] == found


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        (b"", "Paste a file"),
        (b" \n\t", "Paste a file"),
        (b"\xff\xfe\x00", "no text in UTF-8"),
        (b"{", "no JSON"),
        (b"[" * 60_000, "no JSON"),
        (b"[1]", "neither a package.json nor an SBOM"),
        (b'{"a": 1}', "neither a package.json"),
        (b'{"bomFormat": "CycloneDX", "components": 7}', "names nothing"),
        (b"<a/>", "neither a pom.xml"),
        (b"<project>" * 100, "no well-formed XML"),
        (b'<!DOCTYPE project [<!ENTITY a "b">]><project>&a;</project>', "document type"),
        (b'<!DOCTYPE project SYSTEM "file:///etc/passwd"><project/>', "document type"),
        (b"<script>alert(1)</script>", "neither a pom.xml"),
        (b"flask==3\n<script>alert(1)</script>", "Line 2 is no requirement"),
        (b"../../etc/passwd", "Line 1 is no requirement"),
        (b"# nothing\n", "names nothing"),
        (b"\n".join(b"p%d==1" % number for number in range(MOST + 1)), "more than 5,000"),
    ],
)
def test_what_cannot_be_read_gets_one_clear_line(document, fault):
    with pytest.raises(Unreadable, match=fault) as caught:
        read_components(document)

    assert "\n" not in str(caught.value)


@given(st.binary(max_size=3000) | st.text(max_size=3000).map(str.encode))
def test_whatever_is_pasted_is_read_or_refused(document):
    with suppress(Unreadable):
        assert read_components(document)


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
    assert Component("npm", "@acme/mail").page == "https://www.npmjs.com/package/@acme/mail"
    assert Component("pypi", "a b").page == "https://pypi.org/project/a%20b/"
    assert Component("maven", "org.acme:m").page.endswith("/artifact/org.acme/m")
    assert Component("npm", "x", "acme/mail").page == "https://github.com/acme/mail"
    assert Component("conan", "x").page is None
