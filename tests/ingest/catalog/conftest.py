"""One good row of each shape, and ways to bend it."""

from collections.abc import Callable

import pytest

from ingest.catalog import HEADER

FEED = {
    "slug": "acme.widgets",
    "vendor": "acme",
    "name": "Acme Widgets",
    "kind": "changelog",
    "homepage": "https://acme.example/",
    "changelog_url": "https://acme.example/changelog",
    "adapter_type": "rss",
    "feed_url": "https://acme.example/changelog.xml",
    "tags": "api;cloud",
}
RELEASES = FEED | {
    "changelog_url": "https://github.com/acme/widgets/releases",
    "adapter_type": "github_releases",
    "feed_url": "https://github.com/acme/widgets/releases.atom",
}
SHAPES = {"feed": FEED, "releases": RELEASES}


def line_of(cells: dict[str, str]) -> str:
    """Return the row as a line of CSV; a cell that needs quotes has them already."""
    return ",".join(cells[column] for column in HEADER)


@pytest.fixture
def catalog() -> Callable[..., str]:
    """Return a catalog of rows: each a shape by name, or the feed row with other cells."""

    def make(*rows: str | dict[str, str]) -> str:
        cells = [SHAPES[row] if isinstance(row, str) else FEED | row for row in rows]
        return "\n".join([",".join(HEADER), *map(line_of, cells)]) + "\n"

    return make
