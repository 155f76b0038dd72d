"""The plans: what each gives, what it costs, and how one gets it; and the operator's own texts."""

from typing import Final

from flask import Blueprint, render_template, url_for

from handlers.context import Offer
from handlers.site.error_pages import or_404
from handlers.site.prose import as_html
from handlers.site.services import catalog_figures, site_services
from handlers.site.session import SignedInUser, current_user
from handlers.site.words import PLAN_NAMES
from openapi.vocabulary import Plan
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT
from storage.people.plans import DIFFS_ADDON_MONTHLY_PRICE, PLANS

plans = Blueprint("plans", __name__)
DIFFS: Final = "diffs"
Action = tuple[str, str]
"""The address and the words of a link; an address elsewhere is of the operator's shop."""
DOCUMENT_TITLES: Final = {"terms": "Terms", "privacy": "Privacy", "contact": "Contact"}


def action_for(plan: Plan, offer: Offer, user: SignedInUser | None) -> Action | None:
    """Return how one gets a plan; None for whoever has it."""
    if user is None and plan is Plan.FREE:
        return url_for("sign_in.login"), "Get a free key"
    if user is not None and user.plan is plan:
        return None
    name, bought_at = PLAN_NAMES[plan], offer.checkout.get(plan.value)
    if bought_at is not None:
        return bought_at, f"Get {name}"
    return url_for("plan_requests.form", plan=plan.value), f"Ask for {name}"


def addon_action(offer: Offer, user: SignedInUser | None) -> Action | None:
    """Return how one gets the add-on; None for whoever has it."""
    if user is not None and user.diffs_addon:
        return None
    form = url_for("plan_requests.form", plan=Plan.ALL.value, addon=DIFFS)
    bought_at = offer.checkout.get(DIFFS)
    return (bought_at, "Get the Diff API") if bought_at is not None else (form, "Request Diff API")


@plans.get("/plans")
def page() -> str:
    """Show what each plan gives and costs (specification 5.8)."""
    offer, user = site_services().offer, current_user()
    return render_template(
        "plans.html",
        plans=[(plan, PLANS[plan], action_for(plan, offer, user)) for plan in Plan],
        addon_price=DIFFS_ADDON_MONTHLY_PRICE,
        addon_action=addon_action(offer, user),
        most_keys=LIVE_KEYS_PER_ACCOUNT,
        sources=catalog_figures().sources,
        user=user,
    )


@plans.get("/<any(terms, privacy, contact):document_name>")
def document(document_name: str) -> str:
    """Show a text of the operator's."""
    text = or_404(site_services().offer.documents.get(document_name))
    return render_template(
        "document.html", title=DOCUMENT_TITLES[document_name], html=as_html(text)
    )
