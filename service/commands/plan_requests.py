"""Decisions on plan requests, and the mail to the account's owner."""

from __future__ import annotations

from datetime import datetime

from handlers.site import words
from outbound import mail as outbound_mail
from service import mail as service_mail
from service.commands import tables
from service.commands.output import CommandFailed, say
from service.settings import Settings
from storage.people import plan_requests


def decide_open_request(
    session: tables.Session,
    account: tables.Account,
    *,
    plan_given: bool,
    site_url: str,
    now: datetime,
) -> outbound_mail.Mail | None:
    """Close an account's open request after its terms were set; return the mail, if any.

    The request is approved if the account now has what was requested. Any other plan that was
    given declines it; another add-on alone leaves it open.
    """
    request = plan_requests.waiting_request(session, account.id)
    if request is None:
        return None
    requested = (request.plan, request.diffs_addon)
    granted = requested == (account.plan, account.diffs_addon)
    if not granted and not plan_given:
        return None
    return decide_request(session, request, granted=granted, site_url=site_url, now=now)


def decide_request(
    session: tables.Session,
    request: tables.PlanRequest,
    *,
    granted: bool,
    reason: str | None = None,
    site_url: str,
    now: datetime,
) -> outbound_mail.Mail:
    """Close a request and return the mail to its owner. Raises Refused."""
    plan_requests.decide(session, request, granted=granted, reason=reason, now=now)
    account = request.account
    verdict = "approved" if granted else "declined"
    requested = words.plan_and_addon(request.plan, diffs_addon=request.diffs_addon)
    current = words.plan_and_addon(account.plan, diffs_addon=account.diffs_addon)
    note = f"\n{reason}\n" if reason else ""
    text = f"""Hi,

Your request for {requested} was {verdict}.
{note}
Your account is on {current}. Keys, webhooks and sources stay as they are.

{site_url}/app/account
"""
    return outbound_mail.Mail(account.email, f"Your plan request was {verdict}", text)


def send_decision(settings: Settings, mail: outbound_mail.Mail) -> None:
    """Send the mail about a decision, after it is stored. Raises CommandFailed."""
    try:
        service_mail.carrier_for(settings)(mail)
    except outbound_mail.Undelivered as error:
        raise CommandFailed(
            f"{mail.subject}, but {mail.recipient} got no email: {error}"
        ) from error
    say(f"Mail to {mail.recipient}: {mail.subject}.")
