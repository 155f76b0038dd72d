"""Public pages: the landing page, and files that programs expect at the root."""

from collections.abc import Iterable
from typing import Any, Final

import orjson
from flask import Blueprint, Response, redirect, render_template, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.pages.lists import lines_of
from handlers.site.services import cached_figures, site_services
from handlers.site.stream import StreamLine, history_days
from openapi.contract import base_path, load_operations
from storage.entries.entry_pages import FeedEntry, newest_feed_entries

public = Blueprint("public", __name__)
NEWEST: Final = 8
LOOKED_AT: Final = 80
OF_ONE_SOURCE: Final = 2  # a vendor that publishes ten at once does not fill the page
NOT_FOR_CRAWLERS: Final = ("/app/", "/auth/", "/following", "/search")


def spread(lines: Iterable[StreamLine]) -> list[StreamLine]:
    """Return the first few, no more than two of one source."""
    shown: list[StreamLine] = []
    for line in lines:
        if sum(line.source == other.source for other in shown) < OF_ONE_SOURCE:
            shown.append(line)
    return shown[:NEWEST]


def example_of(entry: FeedEntry) -> dict[str, Any]:
    """Return an important entry as the example on the landing page shows it."""
    public, why = orjson.loads(entry.public), orjson.loads(entry.importance or b"{}")
    evidence = [passage["text"].lstrip("#- ") for passage in why.get("evidence", ())]
    return {
        "source": public["source"],
        "title": public["title"],
        "published_at": public["published_at"],
        "categories": why.get("categories", []),
        "evidence": next((passage for passage in evidence if " " in passage), ""),
    }


@public.get("/")
def home() -> str:
    """Explain the service with live figures."""
    services = site_services()
    now = services.now()
    with services.db.read() as session:
        newest = newest_feed_entries(session, most=LOOKED_AT, now=now, only_important=True)
        lines = spread(lines_of(session, newest, now=now))
    return render_template(
        "home.html",
        figures=cached_figures().catalog.get(now=now),
        example=example_of(newest[0]) if newest else None,
        days=history_days(lines, today=now.date()),
    )


@public.get("/llms.txt")
def llms() -> Response:
    """Serve a description of the service for language models."""
    text = render_template(
        "llms.txt",
        base=base_path(),
        operations=load_operations(),
    )
    return Response(text, mimetype="text/plain")


@public.get("/robots.txt")
def robots() -> Response:
    """Exclude crawlers from the pages behind the sign-in and from searches; name the sitemap."""
    lines = [
        "User-agent: *",
        *(f"Disallow: {path}" for path in NOT_FOR_CRAWLERS),
        f"Sitemap: {site_services().site_url}/sitemap.xml",
    ]
    return Response("\n".join(lines) + "\n", mimetype="text/plain")


@public.get("/bulk")
def bulk() -> AnyResponse:
    """Redirect to the daily file, which is an operation of the API."""
    return redirect(f"{site_services().major.base_path}/bulk", code=308)


@public.get("/favicon.ico")
def favicon() -> AnyResponse:
    """Redirect browsers to the icon, which they request for pages that name none."""
    return redirect(url_for("static", filename="icon.svg"))
