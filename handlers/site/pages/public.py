"""The landing page."""

from collections.abc import Iterable
from typing import Any, Final

import orjson
from flask import Blueprint, render_template

from handlers.site.lines import ListLine, history_days
from handlers.site.pages.lists import lines_of
from handlers.site.services import catalog_figures, current_time, read
from storage.entries.entry_pages import FeedEntry, newest_feed_entries

public = Blueprint("public", __name__)
NEWEST: Final = 8
LOOKED_AT: Final = 80
OF_ONE_SOURCE: Final = 2  # a vendor that publishes ten at once does not fill the page


def spread(lines: Iterable[ListLine]) -> list[ListLine]:
    """Return the first few, no more than two of one source."""
    shown: list[ListLine] = []
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
    now = current_time()
    with read() as session:
        newest = newest_feed_entries(session, most=LOOKED_AT, now=now, only_important=True)
        lines = spread(lines_of(session, newest, now=now))
    return render_template(
        "home.html",
        figures=catalog_figures(),
        example=example_of(newest[0]) if newest else None,
        days=history_days(lines, today=now.date()),
    )
