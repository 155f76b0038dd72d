"""Read a lockfile, and list the releases between two versions of one of its parts."""

from datetime import UTC, datetime

from package_versions.package_urls import PackageUrl
from package_versions.read import read_components
from package_versions.upgrades import KnownRelease, UpgradeRange, plan_upgrade

LOCKFILE = b"""[[package]]
name = "flask"
version = "3.1.0"
source = { registry = "https://registry.example/simple" }
"""


def main() -> None:
    """Print the parts of a lockfile, then the releases from 3.1.0 to the newest, breaking first."""
    for part in read_components(LOCKFILE).components:
        print(part.purl)
    published = datetime(2026, 11, 1, tzinfo=UTC)
    releases = [
        KnownRelease(key, version, None, False, published, version == "4.0.0")
        for key, version in enumerate(("3.1.0", "3.1.1", "4.0.0"))
    ]
    flask = PackageUrl.parse("pkg:pypi/flask")
    if flask is not None:
        plan = plan_upgrade(UpgradeRange(flask, "3.1.0"), releases)
        print([release.version for release in plan.releases])


if __name__ == "__main__":
    main()
