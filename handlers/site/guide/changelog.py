"""CHANGELOG.md as a page and as a feed."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, time
from functools import cache
from typing import Final, NamedTuple

from flask import Blueprint, Response, render_template

from handlers.site.feeds.formats import RSS, Channel, Item, write_feed
from handlers.site.forms import parse_day
from handlers.site.guide.guide_views import resolved, shipped
from handlers.site.prose import as_html
from handlers.site.services import site_services

changelog = Blueprint("changelog", __name__)
PATH: Final = "/rss/changelog.xml"
CHANNEL: Final = Channel("Changewire changelog", "Changes of Changewire for users and operators.")
_HEADING: Final = re.compile(r"^## (\S+) \(([^)]*)\)$", re.MULTILINE)
_DOCUMENT: Final = re.compile(r"\bdocs/(?P<path>[\w/-]+\.md)")


class Release(NamedTuple):
    """One version; ``released_at`` is None while it is being made. ``text`` is Markdown."""

    version: str
    released_at: datetime | None
    text: str


def releases_of(text: str) -> Iterator[Release]:
    """Yield the releases of a changelog in the order it lists them."""
    _, *parts = _HEADING.split(text)
    for version, written, changes in zip(parts[::3], parts[1::3], parts[2::3], strict=True):
        day = parse_day(written)
        released_at = None if day is None else datetime.combine(day, time(), UTC)
        yield Release(version, released_at, changes.strip())


@cache
def releases() -> tuple[Release, ...]:
    """Return the releases of this program, newest first."""
    return tuple(releases_of(shipped("CHANGELOG.md").read_text(encoding="utf-8")))


@changelog.get("/changelog")
def page() -> str:
    """Show what changed."""
    return render_template("changelog.html", releases=releases(), linked=linked, path=PATH)


@changelog.get(PATH)
def feed() -> Response:
    """Serve the releases as RSS; one that is not out yet is not in it."""
    site_url = site_services().site_url
    items = [item for release in releases() for item in _items(release, site_url)]
    return Response(write_feed(RSS, CHANNEL, items, path=PATH), mimetype=RSS)


def _items(release: Release, site_url: str) -> Iterator[Item]:
    if release.released_at is None:
        return
    yield Item(
        id=f"changewire:{release.version}",
        source="changewire.changelog",
        source_name="Changewire",
        vendor="changewire",
        title=f"Changewire {release.version}",
        url=f"{site_url}/changelog#v{release.version}",
        text=release.text,
        markup=as_html(release.text),
        published_at=release.released_at,
        shown_since=release.released_at,
    )


def linked(text: str) -> str:
    """Return a text in which documents that the guide shows are links to it."""

    def link(match: re.Match[str]) -> str:
        target = resolved(match["path"], file="")
        return f"[{match[0]}]({target})" if target else match[0]

    return _DOCUMENT.sub(link, text)
