"""The pages of webhooks: made, seen once, changed, tested, switched off, sent again, deleted."""

import re
from datetime import timedelta
from html import unescape
from ipaddress import ip_network

import pytest

from storage.delivery.deliveries import (
    Consequence,
    claim_webhooks,
    next_delivery,
    record_attempt,
    release_webhook,
    secrets_of,
)
from storage.delivery.fanout import add_test_event
from storage.delivery.webhooks import disable_webhook
from storage.models import ApiKey, Delivery, DeliveryAttempt, SavedFilter, Webhook
from storage.models.webhooks import DeliveryState, DisabledReason, EventType

PAGE = "/app/webhooks"
GOOD = {"name": "chat", "url": "https://hooks.acme.example/x", "selection": "account"}


@pytest.fixture
def hook(rows):
    """Read the only webhook there is."""
    return lambda: rows(Webhook)[0]


@pytest.fixture
def secrets(database, clock):
    """The secrets that the only webhook signs with now, or a while later."""

    def secrets(later=timedelta(0)):
        with database.read() as session:
            return secrets_of(session, session.query(Webhook).one(), now=clock() + later)

    return secrets


@pytest.fixture
def made(ada):
    """The path of a webhook of ada's."""
    response = make(ada)
    assert response.status_code == 201
    return re.search(r'href="(/app/webhooks/\w{12})"', response.text)[1]


@pytest.fixture
def fail(database, clock):
    """Let every message that waits fail for good, as a worker would keep it."""

    def fail(status=500, answer=b"", fault="The response was 500."):
        with database.write() as session:
            (claim,) = claim_webhooks(session, now=clock(), most=1)
            job = next_delivery(session, claim, now=clock())
            attempt = DeliveryAttempt(
                at=clock(), duration_ms=1234, status=status, fault=fault, answer=answer
            )
            end = Consequence(DeliveryState.DEAD, None, 1, clock(), None)
            assert record_attempt(session, claim, job, attempt, end)
            release_webhook(session, claim)

    return fail


def make(browser, **form):
    return browser.post(PAGE, page=PAGE, **{**GOOD, "events": "all", **form})


def shown_secret(answer):
    return unescape(re.search(r'id="secret">([^<]+)<', answer.text)[1])


def test_a_webhook_of_a_chat_offers_a_test_and_no_code(ada):
    shown = make(ada, format="slack").text

    assert "Send a test" in shown
    assert "standardwebhooks" not in shown


def test_a_new_webhook_shows_its_secret_once(ada, hook, secrets):
    response = make(ada)

    secret = shown_secret(response)
    assert re.fullmatch(r"whsec_[A-Za-z0-9+/]{43}=", secret)
    assert secrets() == (secret,)
    assert secret not in ada.get(PAGE).text
    assert secret not in ada.get(f"{PAGE}/{hook().public_id}").text
    assert (hook().url, hook().only_important, hook().key_id) == (GOOD["url"], False, None)


def save_filter(browser):
    browser.post("/app/filters", page="/app/filters", name="Of <Acme>", vendor="acme")
    return re.search(r"/app/filters/(\w+)/delete", browser.get("/app/filters").text)[1]


def test_it_may_follow_a_key_and_a_saved_filter_and_be_changed_to_neither(ada, hook, rows):
    public_id, key_id = save_filter(ada), ada.new_key().split("_")[1]

    make(ada, filter=public_id, selection=key_id, events="important")

    assert (hook().filter_id, hook().key_id) == (rows(SavedFilter)[0].id, rows(ApiKey)[0].id)
    assert hook().only_important
    page = f"{PAGE}/{hook().public_id}"
    assert f'<option value="{public_id}" selected>Of &lt;Acme&gt;</option>' in ada.get(page).text
    ada.post(page, page=page, **GOOD, events="all", filter="")
    assert (hook().filter_id, hook().key_id) == (None, None)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"name": " "}, "Give the webhook a name"),
        ({"url": "https://127.0.0.1/"}, "loopback"),
        ({"selection": "0A1b2C3d4E5f"}, "Choose the sources"),
        ({"events": "some"}, "Choose the events"),
        ({"filter": "0A1b2C3d4E5f"}, "Choose the filter"),
    ],
)
def test_a_form_that_makes_no_sense_makes_no_webhook(ada, form, said):
    response = make(ada, **form)

    assert response.status_code == 400
    assert said in unescape(response.text)
    assert 'role="alert"' in response.text
    assert "No webhooks yet" in response.text
    assert f'value="{form.get("url", GOOD["url"])}"' in response.text


def test_a_key_that_reads_no_entries_cannot_be_followed(ada):
    public_id = ada.new_key(scope="read:diffs").split("_")[1]

    assert public_id not in ada.get(PAGE).text
    assert make(ada, selection=public_id).status_code == 400


def test_settings_are_changed(ada, made, hook):
    form = {"name": "other", "url": "https://b.example/", "selection": "account"}

    ada.post(made, page=made, events="important", **form)

    assert (hook().name, hook().url, hook().only_important) == ("other", "https://b.example/", True)
    refused = ada.post(made, page=made, events="all", **form | {"url": "http://b.example/"})
    assert refused.status_code == 400


def test_a_rotated_secret_is_shown_and_the_old_one_lives_a_day(ada, made, secrets):
    (before,) = secrets()

    response = ada.post(f"{made}/secret", page=made)

    assert secrets() == (shown_secret(response), before)
    assert "valid until" in ada.get(made).text
    assert len(secrets(later=timedelta(days=1))) == 1


def test_a_test_is_queued_and_its_answer_shown_as_text(ada, made, fail, rows):
    assert ada.post(f"{made}/test", page=made).status_code == 303
    (test,) = rows(Delivery)
    assert (test.event_type, test.state) == (EventType.TEST, DeliveryState.PENDING)

    fail(answer=b"<script>alert(1)</script>\x00\x1b[31m\xff")
    page = ada.get(made).text
    assert ">Failed</span>" in page
    assert "500 in 1,234 ms" in page
    detail = ada.get(f"{made}/deliveries/{test.id}").text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in detail
    assert "<script>alert" not in detail
    assert "\x1b" not in detail


def test_dead_letters_are_sent_again_one_by_one_or_all(ada, made, fail, rows):
    for _ in range(2):
        ada.post(f"{made}/test", page=made)
        fail()

    ada.post(f"{made}/deliveries/{rows(Delivery)[0].id}/again", page=made)
    assert [each.state.value for each in rows(Delivery)] == ["pending", "dead"]
    ada.post(f"{made}/again", page=made)

    assert "1 message queued again." in ada.get(made).text
    assert {each.state for each in rows(Delivery)} == {DeliveryState.PENDING}


def test_older_messages_are_linked_to_a_page_of_them(ada, made, hook, database, clock):
    webhook_id = hook().id
    with database.write() as session:
        for _ in range(21):
            add_test_event(session, webhook_id, now=clock())

    assert f'rel="next" href="{made}?offset=20"' in ada.get(made).text
    assert 'rel="next"' not in ada.get(f"{made}?offset=20").text


def test_it_is_switched_off_and_on(ada, made, hook):
    ada.post(f"{made}/off", page=made)
    assert hook().disabled_reason is DisabledReason.OWNER
    assert "disabled by you" in ada.get(made).text
    assert "Enable it first" in ada.post(f"{made}/test", page=made).text

    ada.post(f"{made}/on", page=made, catch_up="1")

    assert hook().disabled_at is None


def test_what_the_operator_switched_off_stays_off(ada, made, hook, database, clock):
    with database.write() as session:
        disable_webhook(session, hook().id, DisabledReason.OPERATOR, now=clock())

    ada.post(f"{made}/on", page=made)

    assert hook().disabled_at is not None
    assert "disabled by the operator" in ada.get(made).text


def test_faster_than_people_is_refused(ada, made, clock):
    answers = [ada.post(f"{made}/test", page=made).status_code for _ in range(31)]

    assert answers == [303] * 29 + [429] * 2
    clock.forward(minutes=1)
    assert ada.post(f"{made}/test", page=made).status_code == 303


def test_http_is_for_networks_that_the_operator_allows(pages_with):
    browser = pages_with(webhook_allow=(ip_network("127.0.0.0/8"),))
    browser.sign_in()

    assert make(browser, url="http://127.0.0.1:9000/").status_code == 201
    assert make(browser, url="http://10.0.0.1:9000/").status_code == 400
