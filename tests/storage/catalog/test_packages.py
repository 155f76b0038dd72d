"""The packages that sources are about: what is stored, and who has a part."""

from package_versions.package_urls import PackageUrl
from storage.catalog.packages import packages_of, purls_of, save_packages, sources_of_parts
from storage.catalog.rows import SeenPackage
from storage.catalog.sources import ids_of, save_sources

NPM = SeenPackage("acme.s0", "pkg:npm/acme", "acme/acme: package.json")
PYPI = SeenPackage("acme.s1", "pkg:pypi/acme", "acme/acme-python: pyproject.toml")


def sources_of(database, *purls):
    with database.read() as session:
        found = sources_of_parts(session, map(PackageUrl.parse, purls))
    return {part: [*each.slugs] for part, each in found.items() if each.slugs}


def save(database, *packages):
    with database.write() as session:
        return save_packages(session, packages)


def test_a_part_has_the_sources_that_are_about_it(database, catalog):
    save(database, NPM, PYPI, SeenPackage("acme.s2", NPM.purl, "seen there"))

    assert sources_of(database, "pkg:npm/acme@2.0", "pkg:pypi/acme", "pkg:gem/acme") == {
        "pkg:npm/acme": ["acme.s0", "acme.s2"],
        "pkg:pypi/acme": ["acme.s1"],
    }


def test_saving_replaces_the_packages_of_the_sources_that_are_named(database, catalog):
    save(database, NPM, PYPI)
    gem = SeenPackage("acme.s0", "pkg:gem/acme", "acme.gemspec")
    change = save(database, gem)

    assert (change.added, change.removed, change.unchanged) == (1, 1, 0)
    with database.read() as session:
        assert packages_of(session) == [gem, PYPI]


def test_the_releases_of_a_repository_are_those_of_its_package_url(database, row):
    address = "https://github.com/Acme/Compute/releases"
    with database.write() as session:
        save_sources(session, [row("acme.compute", changelog_url=address)])

    assert sources_of(
        database, "pkg:github/acme/compute@v1", "pkg:golang/github.com/acme/compute"
    ) == {
        "pkg:github/acme/compute": ["acme.compute"],
        "pkg:golang/github.com/acme/compute": ["acme.compute"],
    }


def test_a_repository_that_a_source_has_left_is_forgotten(database, row):
    address = "https://github.com/acme/compute/releases"
    with database.write() as session:
        save_sources(session, [row("acme.compute", changelog_url=address)])
        save_packages(session, [SeenPackage("acme.compute", "pkg:npm/acme", "package.json")])
    with database.write() as session:
        moved = "https://github.com/acme/moved/releases"
        save_sources(session, [row("acme.compute", changelog_url=moved)])

    assert sources_of(database, "pkg:github/acme/compute", "pkg:npm/acme") == {
        "pkg:npm/acme": ["acme.compute"]
    }


def test_the_repository_of_a_source_comes_first_among_its_packages(database, row):
    address = "https://github.com/acme/compute/releases"
    with database.write() as session:
        save_sources(session, [row("acme.compute", changelog_url=address), row("acme.mail")])
        save_packages(session, [SeenPackage("acme.compute", "pkg:cargo/acme", "Cargo.toml")])
        keys = ids_of(session, ["acme.compute", "acme.mail"])

        assert purls_of(session, keys.values()) == {
            keys["acme.compute"]: ["pkg:github/acme/compute", "pkg:cargo/acme"]
        }
