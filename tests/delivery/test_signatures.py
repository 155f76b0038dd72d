"""Signatures, held against the library of the standard."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from delivery.webhook_delivery import signed_headers
from storage.people.credentials import new_signing_secret


def clock():
    """Return the time, at which the library looks too."""
    return datetime.now(UTC)


@given(st.dictionaries(st.text(), st.text() | st.integers()))
def test_the_library_verifies_every_body(data):
    secret, body = new_signing_secret(), json.dumps(data).encode()

    headers = signed_headers([secret], "evt_1", body, at=clock())

    assert Webhook(secret).verify(body, headers) == data


def test_during_a_rotation_either_secret_verifies_and_no_other():
    new, old = new_signing_secret(), new_signing_secret()

    headers = signed_headers([new, old], "evt_1", b"{}", at=clock())

    assert Webhook(new).verify(b"{}", headers) == Webhook(old).verify(b"{}", headers) == {}
    with pytest.raises(WebhookVerificationError):
        Webhook(new_signing_secret()).verify(b"{}", headers)
