"""Overview of what needs the operator's decision."""

from flask import Blueprint, render_template

from handlers.site.services import site_services
from handlers.site.session import require_operator
from storage.catalog.requests import page_requests
from storage.delivery.webhooks import troubled_webhooks
from storage.people.accounts import page_accounts
from storage.people.operator_log import newest_actions
from storage.people.plan_requests import waiting_requests
from storage.scheduling.failures import failures_by_reason

operator_overview = Blueprint("operator_overview", __name__, url_prefix="/operator")
operator_overview.before_request(require_operator)
SHOWN = 5
ACTIONS_SHOWN = 20


@operator_overview.get("")
def overview() -> str:
    """Show the first open items of each kind, and the latest actions."""
    with site_services().db.read() as session:
        waiting, requests = page_requests(session, undecided=True, limit=SHOWN, offset=0)
        people, accounts = page_accounts(session, None, limit=SHOWN, offset=0)
        return render_template(
            "operator/overview.html",
            requests=requests,
            waiting=waiting,
            wishes=waiting_requests(session),
            reasons=failures_by_reason(session),
            webhooks=troubled_webhooks(session),
            accounts=accounts,
            people=people,
            actions=newest_actions(session, most=ACTIONS_SHOWN),
            shown=SHOWN,
        )
