"""Webhooks of the account of a key that may manage them; none is changed (docs/decisions/0040)."""

from typing import Any

from conformance.checks.probe import Audience, Probe, check
from conformance.http_messages import Response

_PATH, _DELIVERIES = "/webhooks", "/webhooks/deliveries"
_OPERATION = "GET /webhooks"
NOBODYS = "nobodysWebhook"
PAGE = 100


def _webhooks(probe: Probe) -> Response:
    probe.needs(_PATH in probe.contract["paths"], "the contract has no webhooks")
    response = probe.get(_PATH, status=None)
    probe.needs(response.status == 200, "the key may not manage webhooks")
    return response


@check(
    "docs/decisions/0040",
    "A secret is in the answer that makes it, and in no other.",
    operation=_OPERATION,
    audience=Audience.KEY,
)
def webhooks_show_no_secret(probe: Probe) -> None:
    response = _webhooks(probe)
    probe.expect("whsec_" not in response.text, response, "shows a secret")


@check(
    "docs/decisions/0040",
    "A webhook of nobody or of another account is a 404 not_found.",
    operation="GET /webhooks/deliveries",
    audience=Audience.KEY,
)
def other_webhooks_are_404(probe: Probe) -> None:
    _webhooks(probe)
    probe.get_refused(_DELIVERIES, {"webhook": NOBODYS}, 404, "not_found")


@check(
    "docs/decisions/0040",
    "Deliveries are listed newest first; each is in the list of its state, and in no other.",
    operation="GET /webhooks/deliveries",
    audience=Audience.KEY,
)
def deliveries_are_listed_by_state(probe: Probe) -> None:
    hooks = probe.needs(_webhooks(probe).items, "the account has no webhook")
    for webhook in hooks:
        of_all = _of(probe, webhook)
        items = of_all.items
        made = [str(item.get("createdAt")) for item in items]
        probe.expect(made == sorted(made, reverse=True), of_all, "is not newest first")
        for state in ("pending", "delivered", "dead"):
            response = _of(probe, webhook, state=state)
            states = {str(item.get("state")) for item in response.items}
            probe.expect(states <= {state}, response, f"lists {sorted(states)} under {state}")
            if len(items) < PAGE:
                right = of_all.field("total") == len(items)
                probe.expect(right, of_all, f"counts other than the {len(items)} that it lists")
                count = sum(item.get("state") == state for item in items)
                right = response.field("total") == count
                probe.expect(right, response, f"counts other than the {count} of the whole list")


def _of(probe: Probe, webhook: dict[str, Any], **more: str) -> Response:
    return probe.get(_DELIVERIES, {"webhook": str(webhook.get("id")), "limit": PAGE, **more})
