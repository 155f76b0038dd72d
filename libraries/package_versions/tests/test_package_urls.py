"""Package URLs in one spelling, and what addresses say of repositories."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from package_versions.ordering import Ecosystem
from package_versions.package_urls import PackageUrl, package_url_of_repository


@pytest.mark.parametrize(
    ("text", "part", "version"),
    [
        ("pkg:npm/%40babel/core@7.1.0", "pkg:npm/%40babel/core", "7.1.0"),
        ("pkg:npm/@babel/core", "pkg:npm/%40babel/core", None),
        ("pkg:pypi/Zope_Interface@5.0", "pkg:pypi/zope-interface", "5.0"),
        ("pkg:github/Acme/Compute@v1.2", "pkg:github/acme/compute", "v1.2"),
        ("pkg:docker/library/nginx@1.25", "pkg:docker/nginx", "1.25"),
        (
            "pkg:docker/acme/mail@2?repository_url=https://GHCR.io/acme",
            "pkg:docker/acme/mail?repository_url=ghcr.io",
            "2",
        ),
        (
            "pkg:helm/mail@1.0.0?repository_url=https://Charts.acme.example/Stable/",
            "pkg:helm/mail?repository_url=charts.acme.example/Stable",
            "1.0.0",
        ),
        ("pkg:npm/mail?repository_url=npm.acme.example", "pkg:npm/mail", None),
        ("pkg:maven/org.acme/client@1?type=jar", "pkg:maven/org.acme/client", "1"),
        ("pkg:deb/debian/curl@7.88.1-10?arch=amd64", "pkg:deb/debian/curl", "7.88.1-10"),
        (
            "pkg:golang/github.com/Go-Chi/chi/v5@v5.0.1",
            "pkg:golang/github.com/go-chi/chi",
            "v5.0.1",
        ),
    ],
)
def test_a_part_is_the_same_in_every_spelling(text, part, version):
    found = PackageUrl.parse(text)

    assert (found.part, found.version) == (part, version)


@pytest.mark.parametrize(
    "text", ["", "npm/left-pad", "pkg:npm", "pkg:npm/%00", "pkg:npm/" + "a" * 600]
)
def test_what_is_no_package_url_is_none(text):
    assert PackageUrl.parse(text) is None


@given(st.text(max_size=60).map(lambda text: f"pkg:npm/{text}"))
def test_a_part_is_its_own_part(text):
    found = PackageUrl.parse(text)

    if found is not None:
        again = PackageUrl.parse(found.part)
        assert again is not None
        assert again.part == found.part


@pytest.mark.parametrize(
    ("text", "repository"),
    [
        ("pkg:github/acme/compute", "pkg:github/acme/compute"),
        ("pkg:golang/github.com/acme/sdk/service/s3", "pkg:github/acme/sdk"),
        ("pkg:swift/github.com/Acme/kit", "pkg:github/acme/kit"),
        ("pkg:githubactions/acme/checkout", "pkg:github/acme/checkout"),
        ("pkg:golang/golang.org/x/net", None),
        ("pkg:golang/github.com", None),
        ("pkg:npm/acme", None),
    ],
)
def test_modules_and_actions_are_in_the_repository_that_they_are_named_for(text, repository):
    assert PackageUrl.parse(text).repository == repository


@pytest.mark.parametrize(
    ("text", "package", "is_named"),
    [
        ("pkg:npm/%40babel/core", "@babel/core", True),
        ("pkg:npm/%40babel/core", "core", True),
        ("pkg:npm/%40babel/core", "@babel/core-js", False),
        ("pkg:pypi/azure-storage-blob", "azure_storage_blob", True),
        ("pkg:golang/github.com/aws/sdk/service/s3", "service/s3", True),
        ("pkg:golang/github.com/aws/sdk", "service/s3", False),
        ("pkg:github/curl/curl", "curl", True),
    ],
)
def test_a_tag_names_a_part_by_its_name_or_the_end_of_it(text, package, is_named):
    assert PackageUrl.parse(text).is_named(package) is is_named


@pytest.mark.parametrize(
    ("text", "ecosystem"),
    [("pkg:cargo/serde", Ecosystem.CARGO), ("pkg:swift/acme/kit", Ecosystem.GENERIC)],
)
def test_a_type_without_an_order_of_its_own_has_the_general_one(text, ecosystem):
    assert PackageUrl.parse(text).ecosystem is ecosystem


@pytest.mark.parametrize(
    ("address", "purl"),
    [
        ("https://github.com/Acme/Compute", "pkg:github/acme/compute"),
        ("https://github.com/acme/compute.git", "pkg:github/acme/compute"),
        ("https://github.com/acme/compute/releases", "pkg:github/acme/compute"),
        ("https://github.com/acme/compute/blob/main/CHANGELOG.md", "pkg:github/acme/compute"),
        ("https://github.com/acme/compute/blob/main/sdk/CHANGELOG.md", None),
        ("https://github.com/acme/compute/discussions/categories/news", None),
        ("https://acme.example/compute", None),
    ],
)
def test_an_address_names_a_repository_where_it_is_about_all_of_it(address, purl):
    assert package_url_of_repository(address) == purl
