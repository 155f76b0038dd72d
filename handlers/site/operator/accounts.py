"""Accounts: their plan, add-on and keys, and their deletion."""

from flask import Blueprint, abort, render_template, request
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.forms import parse_choice, parse_offset, parse_word
from handlers.site.operator.actions import PAGE, back, record, written
from handlers.site.services import site_services
from handlers.site.session import require_operator, signed_in_user
from handlers.site.words import plan_and_addon
from openapi.vocabulary import Plan
from storage.delivery.webhooks import list_webhooks
from storage.models import Account
from storage.models.people import AccountEventKind
from storage.people.account_events import note_key_by_operator, note_plan
from storage.people.accounts import delete_account, folded, page_accounts, set_terms
from storage.people.keys import (
    account_selection,
    find_key,
    is_live,
    list_keys,
    lock_account,
    revoke_key,
)
from storage.people.plans import PLANS

operator_accounts = Blueprint("operator_accounts", __name__, url_prefix="/operator/accounts")
operator_accounts.before_request(require_operator)
HERE, LIST = "operator_accounts.show", "operator_accounts.overview"


@operator_accounts.get("")
def overview() -> str:
    """List accounts, newest first; with a query those whose mail address contains it."""
    query = parse_word(request.args.get("q"))
    offset = parse_offset(request.args.get("offset"))
    with site_services().db.read() as session:
        total, accounts = page_accounts(session, query, limit=PAGE, offset=offset)
    return render_template(
        "operator/accounts.html",
        accounts=accounts,
        total=total,
        query=query or "",
        offset=offset,
        size=PAGE,
    )


@operator_accounts.get("/<int:id_>")
def show(id_: int, fault: str | None = None) -> str:
    """Show an account."""
    services = site_services()
    now = services.now()
    with services.db.read() as session:
        account = _account(session, id_)
        return render_template(
            "operator/account.html",
            account=account,
            keys=[key for key in list_keys(session, id_) if is_live(key, now=now)],
            used=len(account_selection(session, id_, now=now)),
            slots=PLANS[account.plan].slots,
            webhooks=list_webhooks(session, id_),
            plans=list(Plan),
            fault=fault,
        )


@operator_accounts.post("/<int:id_>/plan")
def change(id_: int) -> AnyResponse:
    """Change plan and add-on, from the next request on."""
    plan, addon = parse_choice(Plan, written("plan")), written("addon") == "diffs"
    if plan is None:
        abort(400)
    with site_services().db.write() as session:
        account = _account(session, id_)
        set_terms(account, plan=plan, diffs_addon=addon)
        note_plan(session, account, now=site_services().now())
        record(session, "plan set", f"account {id_}: {plan}{'+diffs' if addon else ''}")
        email = account.email
    return back(f"{email} has {plan_and_addon(plan, diffs_addon=addon)}.", HERE, id_=id_)


@operator_accounts.post("/<int:id_>/keys/<public_id>/revoke")
def revoke(id_: int, public_id: str) -> AnyResponse:
    """Revoke one of its keys."""
    services = site_services()
    with services.db.write() as session:
        lock_account(session, _account(session, id_).id)
        key = find_key(session, public_id)
        if key is None or key.account_id != id_:
            abort(404)
        revoke_key(key, now=services.now())
        note_key_by_operator(session, AccountEventKind.KEY_REVOKED, key, now=services.now())
        record(session, "key revoked", f"cw_{public_id}")
    return back("The key is revoked. Requests with it are refused from now on.", HERE, id_=id_)


@operator_accounts.post("/<int:id_>/delete")
def delete(id_: int) -> AnyResponse | tuple[str, int]:
    """Delete an account and its data, if its address was typed in as confirmation."""
    with site_services().db.write() as session:
        account = _account(session, id_)
        email = account.email
        confirmed = folded(written("email")) == email
        own = id_ == signed_in_user().account_id
        if confirmed and not own:
            record(session, "account deleted", f"account {id_}")
            delete_account(session, email)
    if own:
        return show(id_, fault="Your own account is deleted on its own page."), 400
    if not confirmed:
        return show(id_, fault="That is not its address. Nothing was deleted."), 400
    return back("The account is deleted, with keys, sessions, webhooks and digest.", LIST)


def _account(session: Session, id_: int) -> Account:
    return or_404(session.get(Account, id_) if id_ < 2**63 else None)
