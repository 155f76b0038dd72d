"""CHANGELOG.md as a page and as a feed."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from typing import Final

from flask import Blueprint, Response, render_template
from markupsafe import Markup

from handlers.site.feeds.formats import Channel, Item
from handlers.site.feeds.writers import RSS, write_feed
from handlers.site.guide.guide_views import resolved, shipped
from handlers.site.prose import as_html
from handlers.site.services import site_services

changelog = Blueprint("changelog", __name__)
PATH: Final = "/rss/changelog.xml"
CHANNEL: Final = Channel("Changewire changelog", "Changes of Changewire for users and operators.")
_HEADING: Final = re.compile(r"^## (?P<version>\S+) \((?P<date>[^)]*)\)$", re.MULTILINE)
_DOCUMENT: Final = re.compile(r"\bdocs/(?P<path>[\w/-]+\.md)")


@dataclass(frozen=True, slots=True)
class Release:
    """One version; ``released_at`` is None while it is being made. ``text`` is Markdown."""

    version: str
    released_at: datetime | None
    text: str

    @property
    def html(self) -> Markup:
        """Return the text as HTML, in which documents that the guide shows are links to it."""
        return as_html(_linked(self.text))


def releases_of(text: str) -> Iterator[Release]:
    """Yield the releases of a changelog in the order it lists them."""
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    for heading, end in zip(headings, ends, strict=True):
        yield Release(heading["version"], _day(heading["date"]), text[heading.end() : end].strip())


@cache
def releases() -> tuple[Release, ...]:
    """Return the releases of this program, newest first."""
    return tuple(releases_of(shipped("CHANGELOG.md").read_text(encoding="utf-8")))


@changelog.get("/changelog")
def page() -> str:
    """Show what changed."""
    return render_template("changelog.html", releases=releases(), path=PATH)


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
        tags=(),
        categories=(),
        evidence=(),
        published_at=release.released_at,
        edited_at=None,
        shown_since=release.released_at,
    )


def _linked(text: str) -> str:
    """Return a text in which documents that the guide shows are links to it."""

    def link(match: re.Match[str]) -> str:
        target = resolved(match["path"], file="")
        return f"[{match[0]}]({target})" if target else match[0]

    return _DOCUMENT.sub(link, text)


def _day(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        return None
