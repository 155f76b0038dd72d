"""Whatever receivers, crashes and owners do: a change is delivered, pending or failed."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from delivery.fanout import fan_out
from delivery.webhook_delivery import deliver_claimed
from storage.delivery.deliveries import claim_webhooks
from storage.delivery.delivery_log import send_again
from storage.delivery.webhooks import disable_webhook, enable_webhook
from storage.models import Delivery, Webhook
from storage.models.webhooks import DeliveryState, DisabledReason

pytestmark = pytest.mark.slow

ANSWERS = st.sampled_from([200, 204, 301, 400, 404, 410, 429, 500, 503, None])


class Crash(BaseException):
    """The process ends here."""


@pytest.fixture
def machine(context, publish, new_webhook, receiver, reply, clock, monkeypatch):
    """A machine whose rules are what can happen."""
    key = new_webhook()
    titles = iter(range(10_000))
    published, taken = [], set()

    def answer(request):
        taken.add((json.loads(request.body)["data"]["title"], request.headers["webhook-id"]))
        return reply(200)

    class World(RuleBasedStateMachine):
        @initialize()
        def begin(self):
            with context.db.write() as session:
                session.query(Delivery).delete()
                webhook = session.get_one(Webhook, key)
                enable_webhook(session, webhook, catch_up=False)
                disable_webhook(session, key, DisabledReason.OWNER, now=clock())
                enable_webhook(session, webhook, catch_up=False)
                webhook.leased_until = None
            published.clear()
            taken.clear()

        @rule(important=st.booleans())
        def learn(self, important):
            title = f"entry {next(titles)}"
            publish(title, important=important)
            published.append(title)

        @rule()
        def learn_of_another_source(self):
            publish(f"other {next(titles)}", slug="globex.storage")

        @rule(status=ANSWERS, retry_after=st.sampled_from(["", "60", "90000", "soon"]))
        def push(self, status, retry_after):
            if status in (200, 204):
                receiver.answer = answer
            elif status is None:
                receiver.answer = reply(raw=lambda out: None)
            else:
                fields = {"Retry-After": retry_after} if retry_after else {}
                receiver.answer = reply(status, fields)
            self._push()

        @rule(
            where=st.sampled_from(
                ["delivery.webhook_delivery.record_attempt", "delivery.fanout.add_events"]
            )
        )
        def crash(self, where):
            def end(*arguments, **more):
                raise Crash

            receiver.answer = answer
            with monkeypatch.context() as patch:
                patch.setattr(where, end)
                with suppress(Crash):
                    self._push()

        @rule(hours=st.sampled_from([0.01, 0.1, 1, 7, 30]))
        def wait(self, hours):
            clock.forward(hours=hours)

        @rule()
        def send_dead_letters_again(self):
            with context.db.write() as session:
                send_again(session, key, None, now=clock())

        @rule()
        def switch_off_and_on(self):
            with context.db.write() as session:
                disable_webhook(session, key, DisabledReason.OWNER, now=clock())
                enable_webhook(session, session.get_one(Webhook, key), catch_up=True)

        def _push(self):
            fan_out(context.db, now=clock())
            with context.db.write() as session:
                claims = claim_webhooks(session, now=clock(), most=8)
            for claim in claims:
                deliver_claimed(context, claim)

        @invariant()
        def nothing_is_lost(self):
            with context.db.read() as session:
                rows = session.query(Delivery).all()
                delivered = {r.message_id for r in rows if r.state is DeliveryState.DELIVERED}
                assert delivered <= {message for _, message in taken}
                assert all((r.next_attempt_at is None) == (r.ended_at is not None) for r in rows)
                assert all((r.state is DeliveryState.PENDING) == (r.ended_at is None) for r in rows)

        def teardown(self):
            """In the end, with a server that is well, everything arrives."""
            receiver.answer = answer
            with context.db.write() as session:
                webhook = session.get_one(Webhook, key)
                enable_webhook(session, webhook, catch_up=True)
                webhook.leased_until = None
                send_again(session, key, None, now=clock())
            for _ in range(3):
                self._push()
                clock.forward(hours=7)
            assert {title for title, _ in taken} == set(published)
            assert len(taken) == len(published)

    return World


def test_nothing_is_lost_and_nothing_has_two_ids(machine):
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=15,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
