"""Requests for plans: grant or refuse them."""

from flask import Blueprint, render_template
from werkzeug.wrappers import Response as AnyResponse

from handlers.site.error_pages import or_404
from handlers.site.operator.actions import back, record, written
from handlers.site.services import site_services
from handlers.site.session import require_operator
from handlers.site.words import plan_and_addon
from outbound.mail import Mail
from storage.people.plan_requests import (
    AlreadyDecided,
    decide,
    find_plan_request,
    waiting_requests,
)

operator_plans = Blueprint("operator_plans", __name__, url_prefix="/operator/plans")
operator_plans.before_request(require_operator)
LIST = "operator_plans.overview"


@operator_plans.get("")
def overview() -> str:
    """List the open requests."""
    with site_services().db.read() as session:
        return render_template("operator/plans.html", wishes=waiting_requests(session))


@operator_plans.post("/<int:id_>/grant", defaults={"granted": True})
@operator_plans.post("/<int:id_>/refuse", defaults={"granted": False})
def answer(id_: int, *, granted: bool) -> AnyResponse:
    """Grant or refuse a request and tell the customer by mail, with a reason if there is one."""
    services = site_services()
    reason = written("reason") or None
    try:
        with services.db.write() as session:
            plan_request = or_404(find_plan_request(session, id_))
            decide(session, plan_request, granted=granted, reason=reason, now=services.now())
            wish = plan_and_addon(plan_request.plan, diffs_addon=plan_request.diffs_addon)
            address = plan_request.account.email
            what = f"{plan_request.plan.value}{'+diffs' if plan_request.diffs_addon else ''}"
            record(
                session,
                f"plan {'granted' if granted else 'refused'}",
                f"account {plan_request.account_id}: {what}",
            )
    except AlreadyDecided as error:
        return back(str(error), LIST, fault=True)
    services.send_mail(decision_mail(address, wish, reason, services.site_url, granted=granted))
    return back(f"{address} is told by mail.", LIST)


def decision_mail(
    address: str, wish: str, reason: str | None, site_url: str, *, granted: bool
) -> Mail:
    """Write the mail that tells a customer of the decision."""
    verdict = (
        f"you have {wish} now. It counts from your next request on; your keys,\n"
        "webhooks and chosen sources are as they were."
        if granted
        else f"the operator of this service did not grant you {wish}."
    )
    words = f"\nThey say:\n\n{reason}\n" if reason else ""
    text = f"Hello,\n\n{verdict}\n{words}\nYour account: {site_url}/app/account\n"
    subject = "Your plan at Changewire" if granted else "Your request for a plan"
    return Mail(address, subject, text)
