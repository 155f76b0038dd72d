"""The plans: what each gives, what it costs, and how one gets it; and the operator's own texts."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from flask import Blueprint, render_template, url_for

from handlers.context import Offer
from handlers.site.error_pages import or_404
from handlers.site.prose import as_html
from handlers.site.services import catalog_figures, site_services
from handlers.site.session import SignedInUser, current_user
from handlers.site.words import PLAN_NAMES, number
from openapi.vocabulary import Plan
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT
from storage.people.plans import DIFFS_ADDON_MONTHLY_PRICE, PLANS

plans = Blueprint("plans", __name__)
DIFFS: Final = "diffs"
Action = tuple[str, str]
"""The address and the words of a link; an address elsewhere is of the operator's shop."""
DOCUMENT_TITLES: Final = {"terms": "Terms", "privacy": "Privacy", "contact": "Contact"}
_ADDON_LINES: Final = (
    "Every edit after publication, before and after",
    "Moved dates, removed words and removed entries, labelled",
    "The 20 newest edits of every source",
    "As JSON and as pages",
    "Requires the All plan",
)


@dataclass(frozen=True, slots=True)
class PlanCard:
    """A plan or the add-on as the page shows it. ``price``: None where none is published."""

    name: str
    price: Decimal | None
    lines: tuple[str, ...]
    action: Action | None
    is_addon: bool = False


def plan_lines(plan: Plan, sources: int) -> tuple[str, ...]:
    """Say in five lines what a plan gives, in a catalog of so many sources."""
    slots = PLANS[plan].slots
    if plan is Plan.FREE:
        return (
            f"{slots} sources of your choice",
            "Full text and complete history",
            f"Up to {LIVE_KEYS_PER_ACCOUNT} API keys, webhooks and an email digest",
            "Breaking changes, deprecations and security fixes highlighted",
            "No credit card",
        )
    if plan is Plan.STARTER:
        return (
            f"{slots} sources of your choice",
            "Everything in Free",
            "Change sources any time",
            "Keep your keys, webhooks and digest",
            "Upgrade or downgrade any time",
        )
    return (
        f"All {number(sources)} sources",
        "Everything in Starter",
        "New sources included",
        "MCP server for coding agents",
        "Diff API available",
    )


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
    services, user = site_services(), current_user()
    figures = catalog_figures()
    offer = services.offer
    cards = [
        PlanCard(
            PLAN_NAMES[plan],
            PLANS[plan].monthly_price,
            plan_lines(plan, figures.sources),
            action_for(plan, offer, user),
        )
        for plan in Plan
    ]
    addon = addon_action(offer, user)
    cards.append(
        PlanCard("Diff API", DIFFS_ADDON_MONTHLY_PRICE, _ADDON_LINES, addon, is_addon=True)
    )
    return render_template("plans.html", cards=cards, user=user)


@plans.get("/<any(terms, privacy, contact):document_name>")
def document(document_name: str) -> str:
    """Show a text of the operator's."""
    text = or_404(site_services().offer.documents.get(document_name))
    return render_template(
        "document.html", title=DOCUMENT_TITLES[document_name], html=as_html(text)
    )
