"""Asking the operator for a plan: a form, a mail to each operator, and a request that waits."""

from datetime import timedelta
from shlex import quote
from typing import Final

from flask import Blueprint, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_request
from handlers.site.account.account_log import log_event
from handlers.site.forms import parse_choice
from handlers.site.pages.public import DIFFS
from handlers.site.services import current_time, read, site_services, write
from handlers.site.session import done, require_sign_in, signed_in_user
from handlers.site.words import plan_and_addon
from openapi.vocabulary import Plan
from outbound.mail import Mail
from storage.models.people import AccountEventKind
from storage.people.accounts import operators
from storage.people.plan_requests import (
    LONGEST_NOTE,
    ask_for_plan,
    plan_request_id,
    waiting_request,
)
from storage.people.plans import DIFFS_ADDON_MONTHLY_PRICE, PLANS
from storage.people.throttle import Limit

plan_requests = Blueprint("plan_requests", __name__, url_prefix="/app/plan")
plan_requests.before_request(require_sign_in)
PER_ACCOUNT: Final = (Limit(5, timedelta(minutes=10)), Limit(20, timedelta(days=1)))
NEEDS_ALL: Final = "The Diff API requires the All plan."
THE_SAME: Final = "This is your current plan."


@plan_requests.get("")
def form() -> str:
    """Show the form, filled in as the link says."""
    plan = parse_choice(Plan, request.args.get("plan")) or signed_in_user().plan
    return _form(plan, diffs_addon=request.args.get("addon") == DIFFS)


@plan_requests.post("")
def ask() -> tuple[str, int] | AnyResponse:
    """Store the wish and mail it to the operators; the same wish again mails nobody."""
    services, owner = site_services(), signed_in_user()
    count_request(services, f"plans/{owner.account_id}", PER_ACCOUNT)
    plan = parse_choice(Plan, request.form.get("plan")) or owner.plan
    addon = request.form.get("addon") == DIFFS
    note = request.form.get("note", "").replace("\x00", "").strip()[:LONGEST_NOTE] or None
    fault = _fault(plan, diffs_addon=addon)
    if fault is not None:
        return _form(plan, diffs_addon=addon, note=note, fault=fault), 400
    wish = plan_and_addon(plan, diffs_addon=addon)
    with write() as session:
        new = ask_for_plan(
            session, owner.account_id, plan=plan, diffs_addon=addon, note=note, now=current_time()
        )
        mails = []
        if new is not None:
            values = {"asked": new, "wish": wish, "id": plan_request_id(new), "quote": quote}
            text = render_template("plan_request_mail.txt", **values)
            mails = [Mail(each.email, "Plan request", text) for each in operators(session)]
            log_event(session, AccountEventKind.PLAN_ASKED, wish)
    for mail in mails:
        services.send_mail(mail)
    return done(f"You requested {wish}. We will reply by email.", "account.overview")


def _fault(plan: Plan, *, diffs_addon: bool) -> str | None:
    owner = signed_in_user()
    if diffs_addon and not PLANS[plan].diffs_addon:
        return NEEDS_ALL
    return THE_SAME if (plan, diffs_addon) == (owner.plan, owner.diffs_addon) else None


def _form(
    plan: Plan, *, diffs_addon: bool, note: str | None = None, fault: str | None = None
) -> str:
    owner = signed_in_user()
    with read() as session:
        waiting = waiting_request(session, owner.account_id)
        wish = waiting and plan_and_addon(waiting.plan, diffs_addon=waiting.diffs_addon)
        if note is None and waiting is not None:
            note = waiting.note
    return render_template(
        "plan_request.html",
        plans=[(offered, PLANS[offered]) for offered in Plan],
        plan=plan,
        addon=diffs_addon,
        addon_price=DIFFS_ADDON_MONTHLY_PRICE,
        note=note or "",
        most=LONGEST_NOTE,
        waiting=wish,
        fault=fault,
    )
