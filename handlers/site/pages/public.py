"""The landing page."""

from typing import Any, Final

from flask import Blueprint, render_template

from handlers.context import Context
from handlers.site.pages.edits import public_edit
from handlers.site.pages.lists import lines_of
from handlers.site.radar import radar_deadlines
from handlers.site.services import cached, catalog_figures, current_time, read
from openapi.vocabulary import Category
from storage.catalog.catalog_stats import largest_vendors
from storage.entries.edits import newest_edits
from storage.entries.entry_pages import newest_feed_entries

public = Blueprint("public", __name__)
LOOKED_AT: Final = 40  # newest entries and edits among which the examples are found
VENDORS: Final = 24


@public.get("/")
def home() -> str:
    """Explain the service with live examples."""
    now = current_time()
    with read() as session:
        newest = newest_feed_entries(session, most=LOOKED_AT, now=now, only_important=True)
        lines = lines_of(newest, now=now)
        edits = [public_edit(edit) for edit in newest_edits(session, most=LOOKED_AT)]
    quoted = [line for line in lines if line.quoted]
    breaking = [line for line in quoted if Category.BREAKING in line.categories]
    coming = [deadline for deadline in radar_deadlines() if deadline.last_day >= now.date()]
    moved = [deadline for deadline in coming if deadline.replaced]
    return render_template(
        "home.html",
        figures=catalog_figures(),
        vendors=_vendors(),
        change=next(iter(breaking or quoted or lines), None),
        deadline=next(iter(moved or coming), None),
        edit=next(filter(_is_telling, edits), None),
    )


def _is_telling(edit: dict[str, Any]) -> bool:
    """Return True if something was removed from what everybody may read."""
    return any(piece.op == "delete" for piece in (edit["title"] or []) + (edit["text"] or []))


@cached
def _vendors(services: Context) -> list[str]:
    with services.db.read() as session:
        return largest_vendors(session, most=VENDORS)
