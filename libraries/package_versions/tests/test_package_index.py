"""What a package index is asked for, and which answers are believed."""

import json

import pytest

from package_versions.package_index import (
    IndexName,
    WrongAnswer,
    default_version,
    index_name_of,
    source_repository,
)
from package_versions.package_urls import PackageUrl

VUE = IndexName("npm", "vue")


@pytest.mark.parametrize(
    ("purl", "path"),
    [
        ("pkg:npm/%40babel/core@7.1.0", "npm/packages/%40babel%2Fcore"),
        ("pkg:maven/org.slf4j/slf4j-api@2", "maven/packages/org.slf4j%3Aslf4j-api"),
        ("pkg:golang/go.etcd.io/etcd/client/v3@3.6", "go/packages/go.etcd.io%2Fetcd%2Fclient%2Fv3"),
        ("pkg:golang/gopkg.in/DataDog/x.v1", "go/packages/gopkg.in%2FDataDog%2Fx.v1"),
        ("pkg:gem/rails", "rubygems/packages/rails"),
        ("pkg:golang/github.com/acme/tool/v2", None),
        ("pkg:npm/x?vcs_url=git%2Bhttps://git.acme.example/x", None),
        ("pkg:npm/x?repository_url=npm.acme.example", None),
        ("pkg:pypi/x?download_url=https://acme.example/x.whl", None),
        ("pkg:deb/debian/curl", None),
        ("pkg:docker/acme/tool", None),
    ],
)
def test_the_index_is_asked_for_public_names_without_versions(purl, path):
    name = index_name_of(PackageUrl.parse(purl))

    assert (name and name.path) == (path and f"/v3/systems/{path}")


@pytest.mark.parametrize(
    ("address", "repository"),
    [
        ("git+https://github.com/Acme/Tool.git@1a2b", "pkg:github/acme/tool"),
        ("git+ssh://git@github.com/acme/tool", "pkg:github/acme/tool"),
        ("https://github.com.evil.example/acme/tool", None),
        ("git+https://git.acme.example/acme/tool", None),
    ],
)
def test_a_package_from_git_names_its_repository_itself(address, repository):
    assert PackageUrl.parse(f"pkg:npm/x?vcs_url={address}").repository == repository


def package(*versions, **more):
    return json.dumps({"versions": list(versions), **more}).encode()


def version(name, **more):
    return {"versionKey": {"system": "NPM", "name": "vue", "version": name}, **more}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (package(version("2"), version("3", isDefault=True)), "3"),
        (package(version("2"), version("3")), None),
        (package("x", {"isDefault": True}, version(3, isDefault=True)), None),
        (b'{"packageKey": 3}', None),
    ],
)
def test_the_default_version_is_the_one_that_is_called_so(body, found):
    assert default_version(body, VUE) == found


@pytest.mark.parametrize(
    "body",
    [
        b"<html>",
        b"[]",
        b"[" * 100_000,
        package(packageKey={"system": "NPM", "name": "Vue"}),
        package(packageKey={"system": "PYPI", "name": "vue"}),
    ],
    ids=["page", "list", "deep", "other name", "other system"],
)
def test_an_answer_about_something_else_is_refused(body):
    with pytest.raises(WrongAnswer):
        default_version(body, VUE)


def test_names_that_an_ecosystem_holds_equal_are_the_same():
    body = package(packageKey={"system": "PYPI", "name": "Typing_Extensions"})

    assert default_version(body, IndexName("pypi", "typing-extensions")) is None


def project(name, provenance="UNVERIFIED_METADATA", type_="SOURCE_REPO"):
    key = {"id": name}
    return {"projectKey": key, "relationProvenance": provenance, "relationType": type_}


@pytest.mark.parametrize(
    ("projects", "found"),
    [
        ([project("github.com/vuejs/core")], ("pkg:github/vuejs/core", False)),
        (
            [project("github.com/a/b"), project("github.com/c/d", "SLSA_ATTESTATION")],
            ("pkg:github/c/d", True),
        ),
        ([project("github.com/a/b", "NEW_AND_UNHEARD_OF")], ("pkg:github/a/b", False)),
        ([project("github.com/a/b"), project("github.com/A/B")], ("pkg:github/a/b", False)),
        ([project("gitlab.com/a/b")], (None, False)),
        ([project("github.com/a/b"), project("github.com/c/d")], None),
        ([project("github.com/a/b", type_="ISSUE_TRACKER")], None),
        ([{}, {"projectKey": [], "relationType": "SOURCE_REPO"}, "x"], None),
    ],
)
def test_one_source_repository_is_taken_and_no_other_link(projects, found):
    body = json.dumps({"relatedProjects": projects, "links": [{"label": "SOURCE_REPO"}]}).encode()

    seen = source_repository(body, VUE, "3")

    assert (seen and seen[:2]) == found
