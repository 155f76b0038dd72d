"""The account: its plan and use, requests for another plan, its end, and where it is signed in."""

from datetime import timedelta
from shlex import quote
from typing import Final

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.http.rate_limits import count_request
from handlers.site.account.browsers import log_event, this_browser
from handlers.site.account.sign_in import HOME
from handlers.site.forms import parse_choice
from handlers.site.pages.public import DIFFS
from handlers.site.services import catalog_figures, current_time, read, site_services, write
from handlers.site.session import (
    done,
    end_own_session,
    is_recent,
    require_recent_sign_in,
    require_sign_in,
    signed_in_user,
)
from handlers.site.words import plan_and_addon
from openapi.vocabulary import Plan
from outbound.mail import Mail
from storage.models.people import AccountEventKind
from storage.people.account_events import newest_events
from storage.people.accounts import delete_account, folded, operators
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT, is_live, list_keys
from storage.people.plan_requests import (
    LONGEST_NOTE,
    ask_for_plan,
    plan_request_id,
    waiting_request,
)
from storage.people.plans import DIFFS_ADDON_MONTHLY_PRICE, PLANS
from storage.people.sessions import end_session_of, list_sessions
from storage.people.throttle import Limit

account = Blueprint("account", __name__, url_prefix="/app")
account.before_request(require_sign_in)
SHOWN: Final = 100
PER_ACCOUNT: Final = (Limit(5, timedelta(minutes=10)), Limit(20, timedelta(days=1)))
NEEDS_ALL: Final = "The Diff API requires the All plan."
THE_SAME: Final = "This is your current plan."


@account.get("/")
def start() -> AnyResponse:
    """Redirect to the page that a sign-in leads to."""
    return redirect(HOME, code=303)


@account.get("/account")
def overview(fault: str | None = None) -> str:
    """Show the plan and its use."""
    owner, now = signed_in_user(), current_time()
    with read() as session:
        live = [key for key in list_keys(session, owner.account_id) if is_live(key, now=now)]
        waiting = waiting_request(session, owner.account_id)
        wish = waiting and plan_and_addon(waiting.plan, diffs_addon=waiting.diffs_addon)
    order = list(Plan)
    return render_template(
        "account.html",
        live=len(live),
        most_keys=LIVE_KEYS_PER_ACCOUNT,
        terms=PLANS[owner.plan],
        bigger=[(plan, PLANS[plan]) for plan in order[order.index(owner.plan) + 1 :]],
        addon_price=DIFFS_ADDON_MONTHLY_PRICE,
        figures=catalog_figures(),
        fault=fault,
        recent=is_recent(),
        wish=wish,
        asked_at=waiting and waiting.created_at,
    )


@account.post("/account/delete")
def delete() -> tuple[str, int] | AnyResponse:
    """Delete the account with all that is its own, if its address is typed in."""
    services, owner = site_services(), signed_in_user()
    require_recent_sign_in(url_for("account.overview"))
    if folded(request.form.get("email", "")) != owner.email:
        with write() as session:
            log_event(session, AccountEventKind.DELETION_ASKED)
        return overview(fault="The email does not match. Your account was not deleted."), 400
    with write() as session:
        delete_account(session, owner.email)
    text = render_template("deletion_mail.txt", browser=this_browser().browser)
    services.send_mail(Mail(owner.email, "Your Changewire account has been deleted", text))
    end_own_session()
    return done("Account deleted.", "public.home")


@account.get("/security")
def security() -> str:
    """List where the user is signed in, and the newest events."""
    owner = signed_in_user()
    with read() as session:
        return render_template(
            "security.html",
            sessions=list_sessions(session, owner.account_id, now=current_time()),
            own=owner.session_digest,
            events=newest_events(session, owner.account_id, most=SHOWN),
        )


@account.post("/security/sessions/<digest>/end")
def end_other_session(digest: str) -> AnyResponse:
    """Sign another browser out."""
    owner = signed_in_user()
    if digest == owner.session_digest:
        abort(400)  # the form of the menu does that, and takes the cookie back
    with write() as session:
        ended = end_session_of(session, owner.account_id, digest)
        if ended is not None:
            log_event(session, AccountEventKind.SIGNED_OUT, ended.browser)
    return done("Session ended.", "account.security")


@account.get("/plan")
def plan_form() -> str:
    """Show the form, filled in as the link says."""
    plan = parse_choice(Plan, request.args.get("plan")) or signed_in_user().plan
    return _form(plan, diffs_addon=request.args.get("addon") == DIFFS)


@account.post("/plan")
def ask_plan() -> tuple[str, int] | AnyResponse:
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
        id_ = None if new is None else plan_request_id(new)
        receivers = [] if new is None else [each.email for each in operators(session)]
        if new is not None:
            log_event(session, AccountEventKind.PLAN_ASKED, wish)
    asked = {"email": owner.email, "wish": wish, "plan": plan.value, "addon": addon, "note": note}
    text = render_template("plan_request_mail.txt", **asked, id=id_, quote=quote)
    for receiver in receivers:
        services.send_mail(Mail(receiver, "Plan request", text))
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
