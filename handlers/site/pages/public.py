"""Public pages: the landing page, and files that programs expect at the root."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import orjson
from flask import Blueprint, Response, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.pages.catalog import EntryView, entry_view
from handlers.site.services import cached_figures, site_services
from openapi.contract import base_path, load_operations
from storage.entries.entry_pages import FeedEntry, newest_feed_entries

public = Blueprint("public", __name__)
NEWEST: Final = 8
LOOKED_AT: Final = 80
OF_ONE_SOURCE: Final = 2  # a vendor that publishes ten at once does not fill the page
ROBOTS: Final = "User-agent: *\nDisallow: /app/\nDisallow: /auth/\nDisallow: /operator\n"


@dataclass(frozen=True, slots=True)
class ImportantView:
    """An important entry with the vendor's words that make it so."""

    entry: EntryView
    source_name: str
    source: str
    categories: tuple[str, ...]
    evidence: str


def important_view(entry: FeedEntry) -> ImportantView:
    """Read a stored important entry; of its evidence the first passage that is a sentence."""
    why = orjson.loads(entry.importance or b'{"categories":[],"evidence":[]}')
    passages = [passage["text"].lstrip("#- ") for passage in why["evidence"]]
    return ImportantView(
        entry=entry_view(entry.public),
        source_name=entry.source_name,
        source=orjson.loads(entry.public)["source"],
        categories=tuple(why["categories"]),
        evidence=next((passage for passage in passages if " " in passage), ""),
    )


def spread(views: Iterable[ImportantView]) -> list[ImportantView]:
    """Return the first few, no more than two of one source."""
    shown: list[ImportantView] = []
    for view in views:
        if sum(view.source == other.source for other in shown) < OF_ONE_SOURCE:
            shown.append(view)
    return shown[:NEWEST]


@public.get("/")
def home() -> str:
    """Explain the service with live figures."""
    services = site_services()
    now = services.now()
    with services.db.read() as session:
        newest = newest_feed_entries(session, most=LOOKED_AT, now=now, only_important=True)
    return render_template(
        "home.html",
        figures=cached_figures().catalog.get(now=now),
        newest=spread(important_view(entry) for entry in newest),
        site_url=services.site_url,
    )


@public.get("/llms.txt")
def llms() -> Response:
    """Serve a description of the service for language models."""
    text = render_template(
        "llms.txt",
        site_url=site_services().site_url,
        base=base_path(),
        operations=load_operations(),
    )
    return Response(text, mimetype="text/plain")


@public.get("/robots.txt")
def robots() -> Response:
    """Exclude crawlers from the pages behind the sign-in."""
    return Response(ROBOTS, mimetype="text/plain")


@public.get("/favicon.ico")
def favicon() -> AnyResponse:
    """Redirect browsers to the icon, which they request for pages that name none."""
    return redirect(url_for("static", filename="icon.svg"))
