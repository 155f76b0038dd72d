"""The landing page, the plans with how one gets them, and the operator's own texts."""

from typing import Any, Final

from flask import Blueprint, render_template, url_for

from handlers.context import Context, Offer
from handlers.site.error_pages import or_404
from handlers.site.pages.edits import public_edit
from handlers.site.pages.lists import lines_of
from handlers.site.prose import as_html
from handlers.site.radar import radar_deadlines
from handlers.site.services import cached, catalog_figures, current_time, read, site_services
from handlers.site.session import SignedInUser, current_user
from handlers.site.words import PLAN_NAMES
from openapi.vocabulary import Category, Plan
from storage.catalog.catalog_stats import largest_vendors
from storage.delivery.webhooks import WEBHOOKS_PER_ACCOUNT
from storage.entries.edits import newest_edits
from storage.entries.entry_pages import newest_feed_entries
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT
from storage.people.plans import DIFFS_ADDON_MONTHLY_PRICE, PLANS

public = Blueprint("public", __name__)
LOOKED_AT: Final = 40  # newest entries and edits among which the examples are found
VENDORS: Final = 24
DIFFS: Final = "diffs"
Action = tuple[str, str]
"""The address and the words of a link; an address elsewhere is of the operator's shop."""
DOCUMENT_TITLES: Final = {"terms": "Terms", "privacy": "Privacy", "contact": "Contact"}


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
        plans=PLANS,
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


def action_for(plan: Plan, offer: Offer, user: SignedInUser | None) -> Action | None:
    """Return the link to get a plan; None if it is the user's own."""
    if user is None and plan is Plan.FREE:
        return url_for("sign_in.login"), "Sign up for free"
    if user is not None and user.plan is plan:
        return None
    name, bought_at = PLAN_NAMES[plan], offer.checkout.get(plan.value)
    if bought_at is not None:
        return bought_at, f"Get {name}"
    return url_for("account.plan_form", plan=plan.value), f"Request {name}"


def addon_action(offer: Offer, user: SignedInUser | None) -> Action | None:
    """Return the link to get the add-on; None if the user has it."""
    if user is not None and user.diffs_addon:
        return None
    form = url_for("account.plan_form", plan=Plan.ALL.value, addon=DIFFS)
    bought_at = offer.checkout.get(DIFFS)
    return (bought_at, "Get the Diff API") if bought_at is not None else (form, "Request Diff API")


@public.get("/plans")
def page() -> str:
    """Show what each plan gives and costs (specification 5.8)."""
    offer, user = site_services().offer, current_user()
    return render_template(
        "plans.html",
        plans=[(plan, PLANS[plan], action_for(plan, offer, user)) for plan in Plan],
        addon_price=DIFFS_ADDON_MONTHLY_PRICE,
        addon_action=addon_action(offer, user),
        most=(LIVE_KEYS_PER_ACCOUNT, WEBHOOKS_PER_ACCOUNT),
        sources=catalog_figures().sources,
        user=user,
    )


@public.get("/<any(terms, privacy, contact):document_name>")
def document(document_name: str) -> str:
    """Show a text of the operator's."""
    text = or_404(site_services().offer.documents.get(document_name))
    title = DOCUMENT_TITLES[document_name]
    return render_template("document.html", title=title, html=as_html(text))
