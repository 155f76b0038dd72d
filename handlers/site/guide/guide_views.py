"""The guide at /guide: the Markdown of docs/, rendered here, and a search; and CHANGELOG.md."""

import posixpath
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, time
from functools import cache, partial
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import urldefrag, urlsplit

from flask import Blueprint, Response, abort, render_template, request

from handlers.site.feeds.formats import RSS, Channel, Item, write_feed
from handlers.site.forms import parse_day
from handlers.site.guide.guide_pages import Page, page_of
from handlers.site.guide.guide_search import LONGEST_QUERY, GuidePlace, search
from handlers.site.pages.reference import JSON, fields_of, objects_of, parameters_of
from handlers.site.prose import as_html, as_inline_html
from handlers.site.services import site_services
from openapi.contract import load_operations

guide = Blueprint("guide", __name__)
GROUPS: Final = {
    "Begin": ("guide/getting-started.md", "guide/lists.md"),
    "Read": (
        "guide/pagination.md",
        "guide/time.md",
        "following.md",
        "bulk.md",
        "guide/stack.md",
        "guide/feeds.md",
        "guide/errors.md",
        "guide/limits.md",
        "guide/caching.md",
        "deprecation.md",
    ),
    "Connect": ("client.md", "mcp.md", "webhooks.md"),
}
"""The files of the guide under docs/, in the order of reading."""
FILES: Final = {Path(file).stem: file for files in GROUPS.values() for file in files}
SCHEMA: Final = "webhook-event.schema.json"
ELSEWHERE: Final = {SCHEMA: f"/guide/{SCHEMA}", "../openapi/openapi.yaml": "/openapi.yaml"}
EXAMPLE_SITE: Final = "https://changewire.example"
"""Stands in the Markdown for the address of the service, whatever that is."""
OWN_FEED: Final = "/rss/changelog.xml"
CHANNEL: Final = Channel("Changewire changelog", "Changes of Changewire for users and operators.")
_HEADING: Final = re.compile(r"^## (\S+) \(([^)]*)\)$", re.MULTILINE)
_DOCUMENT: Final = re.compile(r"\bdocs/(?P<path>[\w/-]+\.md)")


@guide.get("/guide")
def contents() -> str:
    """Show the contents of the guide."""
    pages = pages_for(site_services().site_url)
    groups = {name: [pages[Path(file).stem] for file in files] for name, files in GROUPS.items()}
    return render_template("guide_contents.html", groups=groups)


@guide.get("/guide/<name>")
def page(name: str) -> str:
    """Show a page of the guide."""
    pages = pages_for(site_services().site_url)
    if name not in pages:
        abort(404)
    order = list(pages)
    place = order.index(name)
    return render_template(
        "guide.html",
        page=pages[name],
        pages=pages.values(),
        before=pages[order[place - 1]] if place else None,
        after=pages[order[place + 1]] if place + 1 < len(order) else None,
    )


@guide.get("/guide/search")
def results() -> str:
    """Show the hits of a search in the guide and in the reference."""
    query = request.args.get("q", "").strip()[:LONGEST_QUERY]
    hits, is_complete = search(places_for(site_services().site_url), query)
    return render_template("guide_search.html", query=query, hits=hits, is_complete=is_complete)


@guide.get(f"/guide/{SCHEMA}")
def schema_of_events() -> Response:
    """Serve the schema of what webhooks send."""
    return Response(text_of(SCHEMA), mimetype="application/schema+json")


@cache
def pages_for(site_url: str) -> Mapping[str, Page]:
    """Return the pages of the guide by name, with the address of this site in their examples."""
    return {
        name: page_of(
            name, text_of(file).replace(EXAMPLE_SITE, site_url), partial(resolved, file=file)
        )
        for name, file in FILES.items()
    }


@cache
def places_for(site_url: str) -> tuple[GuidePlace, ...]:
    """Return what is searched: sections of the guide, then the reference."""
    of_guide = chain.from_iterable(each.sections for each in pages_for(site_url).values())
    return (*of_guide, *_reference_places())


def text_of(file: str) -> str:
    """Return a file under docs/."""
    return (shipped("docs") / file).read_text(encoding="utf-8")


def shipped(name: str) -> Path:
    """Return a file or folder that is beside this package in a wheel, or in a checkout."""
    places = (Path(__file__).parents[level] / name for level in (1, 3))
    return next(place for place in places if place.exists())


def resolved(href: str, *, file: str) -> str | None:
    """Return the target on this site of a link in a file under docs/; None if it has none.

    Complete addresses and anchors stay as they are.
    """
    path, anchor = urldefrag(href)
    if not path or urlsplit(path).scheme:
        return href
    linked_file = posixpath.normpath(posixpath.join(posixpath.dirname(file), path))
    target = ELSEWHERE.get(linked_file)
    if linked_file in FILES.values():
        target = f"/guide/{Path(linked_file).stem}"
    return f"{target}#{anchor}" if target and anchor else target


def _reference_places() -> Iterator[GuidePlace]:
    for each in load_operations():
        of_objects = (fields for _, fields in objects_of(each).values())
        sent = (*parameters_of(each), *fields_of(each.body.get(JSON, {})))
        fields = (f"{it.name}: {it.description}" for it in chain(sent, *of_objects))
        text = as_inline_html(" ".join((f"{each.summary}.", each.description, *fields))).striptags()
        title = f"{each.method} {each.path}"
        yield GuidePlace("API reference", title, f"/docs/{each.operation_id}", text)


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


@guide.get("/changelog")
def changes() -> str:
    """Show what changed."""
    return render_template("changelog.html", releases=releases(), linked=linked, path=OWN_FEED)


@guide.get(OWN_FEED)
def feed() -> Response:
    """Serve the releases as RSS; one that is not out yet is not in it."""
    site_url = site_services().site_url
    items = [item for release in releases() for item in _items(release, site_url)]
    return Response(write_feed(RSS, CHANNEL, items, path=OWN_FEED), mimetype=RSS)


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
