"""Edits after publication: the diffs of a source, each with its own address."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from flask import Blueprint, abort, redirect, render_template, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.forms import parse_day, parse_offset
from handlers.site.pages.diff_view import DiffHead, diff_view, neighbours, read_head
from handlers.site.services import current_time, read, site_services
from handlers.site.session import require_sign_in, signed_in_user
from storage.catalog.catalog_items import find_item
from storage.entries.diffs import diff_of_day, diff_times, diffs_beside, find_diff, page_diff_heads

diffs = Blueprint("diffs", __name__, url_prefix="/sources/<slug>/diffs")
diffs.before_request(require_sign_in)
PAGE: Final = 50
LONGEST_ID: Final = 100


@diffs.get("")
def listed(slug: str) -> AnyResponse | str | tuple[str, int]:
    """List the diffs of a source; with ``day``, lead to what the vendor said on it."""
    offset = parse_offset(request.args.get("offset"))
    with read() as session:
        item = or_404(find_item(session, slug, now=current_time()))
        if not signed_in_user().has_diffs:
            return render_template("diffs_locked.html", item=item), 403
        day = parse_day(request.args.get("day"))
        if day is not None:
            until = datetime.combine(day, time(), tzinfo=UTC) + timedelta(days=1)
            head = diff_of_day(session, item.id, until=until)
            if head is not None:
                diff_id = read_head(head).id
                return redirect(url_for("diffs.show", slug=slug, diff_id=diff_id), code=303)
        shown, total = newest_heads(session, item.id, most=PAGE, offset=offset)
    return render_template(
        "diffs.html", item=item, diffs=shown, total=total, offset=offset, size=PAGE
    )


@diffs.get("/<diff_id>")
def show(slug: str, diff_id: str) -> str | tuple[str, int]:
    """Show what changed between two states, before and after or word by word."""
    services = site_services()
    with read() as session:
        item = or_404(find_item(session, slug, now=current_time()))
        if not signed_in_user().has_diffs:
            return render_template("diffs_locked.html", item=item), 403
        fits = len(diff_id) <= LONGEST_ID
        stored = or_404(find_diff(session, item.id, diff_id) if fits else None)
        before, after = (
            None if head is None else read_head(head)
            for head in diffs_beside(session, stored, item.id)
        )
        days = _days(diff_times(session, item.id), stored.fetched_at.date())
    start = parse_offset(request.args.get("from"))
    diff, changes, total = diff_view(stored.document, start)
    if not changes:
        abort(404)
    return render_template(
        "diff.html",
        item=item,
        diff=diff,
        changes=changes,
        total=total,
        start=start,
        by_words=request.args.get("view") == "words",
        before=before,
        after=after,
        days=days,
        canonical=f"{services.site_url}/sources/{item.slug}/diffs/{diff.id}",
    )


def newest_heads(
    session: Session, source_id: int, *, most: int, offset: int = 0
) -> tuple[list[DiffHead], int]:
    """Return the newest diffs of a source, and how many it has."""
    page = page_diff_heads(session, source_id, limit=most, offset=offset)
    return [read_head(head) for head in page.documents], page.total


def _days(times: Sequence[tuple[int, datetime]], current: date) -> list[tuple[date, int]]:
    """Return the days with diffs around one, oldest first, each with how many it has."""
    counted = Counter(at.date() for _, at in times)
    return [(day, counted[day]) for day in neighbours(sorted(counted), current)]
