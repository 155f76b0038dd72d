"""Webhooks of the account of a key that may manage them; none is changed (docs/decisions/0040)."""

from typing import Any

import pytest

from conformance.http_messages import Response
from conformance.probe import Probe, expect

_PATH, _DELIVERIES = "/webhooks", "/webhooks/deliveries"
NOBODYS = "nobodysWebhook"
PAGE = 100


def _webhooks(probe: Probe) -> Response:
    probe.needs(_PATH in probe.contract["paths"], "the contract has no webhooks")
    response = probe.get(_PATH, status=None)
    probe.needs(response.status == 200, "the key may not manage webhooks")
    return response


@pytest.mark.origin("docs/decisions/0040")
def test_webhooks_show_no_secret(holder: Probe) -> None:
    """A secret is in the answer that makes it, and in no other."""
    response = _webhooks(holder)
    expect("whsec_" not in response.text, response, "shows a secret")


@pytest.mark.origin("docs/decisions/0040")
def test_other_webhooks_are_404(holder: Probe) -> None:
    """A webhook of nobody or of another account is a 404 not_found."""
    _webhooks(holder)
    holder.get_refused(_DELIVERIES, {"webhook": NOBODYS}, 404, "not_found")


@pytest.mark.origin("docs/decisions/0040")
def test_deliveries_are_listed_by_state(holder: Probe) -> None:
    """Deliveries are listed newest first; each is in the list of its state, and in no other."""
    hooks = holder.needs(_webhooks(holder).items, "the account has no webhook")
    for webhook in hooks:
        of_all = _of(holder, webhook)
        items = of_all.items
        made = [str(item.get("createdAt")) for item in items]
        expect(made == sorted(made, reverse=True), of_all, "is not newest first")
        for state in ("pending", "delivered", "dead"):
            response = _of(holder, webhook, state=state)
            states = {str(item.get("state")) for item in response.items}
            expect(states <= {state}, response, f"lists {sorted(states)} under {state}")
            if len(items) < PAGE:
                right = of_all.field("total") == len(items)
                expect(right, of_all, f"counts other than the {len(items)} that it lists")
                count = sum(item.get("state") == state for item in items)
                right = response.field("total") == count
                expect(right, response, f"counts other than the {count} of the whole list")


def _of(probe: Probe, webhook: dict[str, Any], **more: str) -> Response:
    return probe.get(_DELIVERIES, {"webhook": str(webhook.get("id")), "limit": PAGE, **more})
