"""The account page: the plan, what it gives and costs, how much of it is used, and its end."""

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.account.account_log import log_event, this_browser
from handlers.site.account.destinations import HOME
from handlers.site.account.recent_sign_in import is_recent, require_recent_sign_in
from handlers.site.services import cached_figures, site_services
from handlers.site.session import end_own_session, require_sign_in, signed_in_user
from handlers.site.words import plan_and_addon
from openapi.vocabulary import Plan
from outbound.mail import Mail
from storage.models.people import AccountEventKind
from storage.people.accounts import delete_account, folded
from storage.people.keys import LIVE_KEYS_PER_ACCOUNT, account_selection, is_live, list_keys
from storage.people.plan_requests import waiting_request
from storage.people.plans import DIFFS_ADDON_MONTHLY_PRICE, PLANS

account = Blueprint("account", __name__, url_prefix="/app")
account.before_request(require_sign_in)


@account.get("/")
def start() -> AnyResponse:
    """Redirect to the page that a sign-in leads to."""
    return redirect(HOME, code=303)


@account.get("/account")
def overview(fault: str | None = None) -> str:
    """Show the plan and its use."""
    services, owner = site_services(), signed_in_user()
    now = services.now()
    with services.db.read() as session:
        live = [key for key in list_keys(session, owner.account_id) if is_live(key, now=now)]
        used = len(account_selection(session, owner.account_id, now=now))
        waiting = waiting_request(session, owner.account_id)
        wish = waiting and plan_and_addon(waiting.plan, diffs_addon=waiting.diffs_addon)
    order = list(Plan)
    return render_template(
        "account.html",
        used=used,
        live=len(live),
        most_keys=LIVE_KEYS_PER_ACCOUNT,
        terms=PLANS[owner.plan],
        bigger=[(plan, PLANS[plan]) for plan in order[order.index(owner.plan) + 1 :]],
        addon_price=DIFFS_ADDON_MONTHLY_PRICE,
        figures=cached_figures().catalog.get(now=now),
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
        with services.db.write() as session:
            log_event(session, AccountEventKind.DELETION_ASKED)
        return overview(fault="This is not the address of the account. It was not deleted."), 400
    with services.db.write() as session:
        delete_account(session, owner.email)
    services.send_mail(deletion_mail(owner.email, this_browser().browser))
    end_own_session()
    flash("Your account is deleted, with its keys, webhooks and digest.")
    return redirect(url_for("public.home"), code=303)


def deletion_mail(address: str, browser: str) -> Mail:
    """Write the mail that says that an account is deleted: its log is gone with it."""
    text = f"""Hello,

your account at Changewire is deleted, with its keys, webhooks and digest.
It was asked for by somebody who was signed in with {browser}.

If that was not you, somebody else can read your mail; look after that first.
"""
    return Mail(address, "Your account at Changewire is deleted", text)
