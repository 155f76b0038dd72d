"""Digests: what is in them, once a period, nothing for nothing, a way out in every one."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from delivery.digest_mail import digest_mail, mail_item
from delivery.digests import GIVEN_UP_AFTER, send_one_digest
from delivery.maintenance import repair_future_times
from openapi.vocabulary import DeadlineKind
from outbound.mail import Undelivered
from storage.delivery.digests import (
    DigestContent,
    DigestItem,
    find_digest,
    next_digest_at,
    save_digest,
)
from storage.entries.deadline_history import DeadlineRecord
from storage.entries.deadlines import replace_deadlines
from storage.models import Account, Digest, Entry, SavedFilter
from storage.models.webhooks import DigestFrequency

DAILY, WEEKLY = DigestFrequency.DAILY, DigestFrequency.WEEKLY
START = datetime(2026, 1, 1, tzinfo=UTC)
TODAY = date(2026, 11, 21)
moments = st.timedeltas(timedelta(), timedelta(days=1500)).map(lambda age: START + age)
texts = st.text(st.characters(codec="utf-8"), max_size=400)


@pytest.fixture
def subscribe(database, clock, ada):
    def subscribe(frequency=DAILY, *, hour=6, only_important=False, filter_id=None):
        settings = Digest(
            frequency=frequency, hour=hour, only_important=only_important, filter_id=filter_id
        )
        with database.write() as session:
            save_digest(session, ada, settings, now=clock())

    return subscribe


@pytest.fixture
def digest(database, ada):
    def digest():
        with database.read() as session:
            return find_digest(session, ada)

    return digest


@given(moments, st.integers(0, 23), st.sampled_from([DAILY, WEEKLY]))
def test_the_next_time_is_ahead_at_the_hour_and_within_the_period(after, hour, frequency):
    at = next_digest_at(Digest(frequency=frequency, hour=hour), after=after)

    assert (at.hour, at.minute, at.second) == (hour, 0, 0)
    assert timedelta() < at - after <= timedelta(days=1 if frequency is DAILY else 7)
    assert frequency is DAILY or at.strftime("%A") == "Monday"


@pytest.mark.parametrize(("days", "told"), [(31, True), (30, False), (8, True), (2, False)])
def test_it_tells_what_ends(subscribe, publish, database, context, clock, mails, days, told):
    publish("Mail 1 ends")
    subscribe()
    clock.forward(hours=18)
    day = (clock() + timedelta(days - 1)).date()
    ends = DeadlineRecord(DeadlineKind.END_OF_LIFE, day, day, "It ends.", successor="Mail 2")
    with database.write() as session:
        replace_deadlines(session, {session.scalars(select(Entry.id)).one(): [ends]})

    send_one_digest(context)

    assert [", use Mail 2" in mail.text for mail in mails] == [True] * told


def test_it_tells_what_is_new_in_selected_sources_important_first(
    subscribe, publish, context, clock, mails
):
    publish("before the digest")
    subscribe()
    publish("routine")
    publish("API v1 is removed", important=True, slug="acme.mail")
    publish("somebody else's", slug="globex.storage")
    assert not send_one_digest(context)
    clock.forward(hours=18)

    assert send_one_digest(context)
    assert not send_one_digest(context)

    (mail,) = mails
    assert mail.recipient == "ada@acme.example"
    assert mail.subject == "Changewire: 2 changes, 1 important – 22 November 2026"
    for text in (mail.text, mail.html):
        assert text.index("API v1 is removed") < text.index("routine")
        assert "before the digest" not in text
        assert "somebody else" not in text
        assert "/e/acme.mail/2026-11-21-api-v1-is-removed" in text
        assert "breaking" in text


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("sources=acme.mail,globex.storage", ["Mail"]),
        ("tag=cloud&since=2026-11-21T11:59:59Z", ["API v1 removed", "Mail", "CVE-2026-12345"]),
        ("vendor=acme&q=%22attachments%20may%20be%22", ["Mail"]),
        ("vendor=globex", []),
    ],
)
def test_it_tells_what_a_saved_filter_lets_through(
    subscribe, publish, context, clock, mails, save_filter, query, titles
):
    subscribe(filter_id=save_filter(query))
    publish("API v1 removed", important=True)
    publish("Mail", slug="acme.mail", text="Attachments may be larger.")
    publish("CVE-2026-12345")
    publish("Storage", slug="globex.storage")
    clock.forward(days=1)

    assert send_one_digest(context)

    told = mails[0].text if mails else ""
    every = ("API v1 removed", "Mail", "CVE-2026-12345", "Storage")
    assert [title for title in every if f"{title}\n" in told] == titles
    assert len(mails) == bool(titles)
    assert not titles or f"{len(titles)} change" in mails[0].subject


def test_without_its_filter_no_mail_comes(
    subscribe, publish, context, clock, mails, save_filter, database, digest
):
    key = save_filter("q=one")
    subscribe(filter_id=key)
    with database.write() as session:
        session.delete(session.get_one(SavedFilter, key))
    publish("one")
    clock.forward(days=1)

    assert send_one_digest(context)

    assert mails == []
    assert digest() is not None


def test_each_digest_tells_what_came_since_the_last(subscribe, publish, context, clock, mails):
    subscribe()
    for day in range(3):
        publish(f"entry {day}")
        clock.forward(days=1)
        send_one_digest(context)
    publish("entry 0", text="Corrected.")
    clock.forward(days=1)
    send_one_digest(context)

    numbers = [[n for n in range(3) if f"entry {n}" in mail.text] for mail in mails]
    assert numbers == [[0], [1], [2], [0]]
    assert " · edited" in mails[3].text
    assert ", edited" not in mails[0].text


def test_a_clock_that_was_ahead_and_is_put_back_keeps_no_digest_back(
    subscribe, publish, context, clock, mails
):
    subscribe(WEEKLY)
    clock.forward(days=365)
    assert send_one_digest(context)  # of nothing
    clock.forward(days=-365)
    publish("meanwhile")

    repair_future_times(context)

    clock.forward(days=7)
    assert send_one_digest(context)
    assert len(mails) == 1


def test_two_workers_send_one_mail(subscribe, publish, context, clock, mails, monkeypatch):
    from delivery import digests

    subscribe()
    publish("one")
    clock.forward(days=1)
    take = digests.take_digest

    def somebody_was_faster(session, digest, *, next_at):
        assert take(session, digest, next_at=next_at)
        return take(session, digest, next_at=next_at)

    monkeypatch.setattr("delivery.digests.take_digest", somebody_was_faster)
    send_one_digest(context)

    assert mails == []


def test_a_crash_before_the_mail_costs_one_mail_and_no_entry(
    subscribe, publish, context, clock, mails, monkeypatch
):
    def crash(mail):
        raise KeyboardInterrupt

    subscribe()
    publish("one")
    clock.forward(days=1)
    with monkeypatch.context() as patch:
        patch.setattr("delivery.digests.digest_mail", lambda *_, **__: crash(None))
        with pytest.raises(KeyboardInterrupt):
            send_one_digest(context)
    assert not send_one_digest(context)
    clock.forward(days=1)
    send_one_digest(context)

    (mail,) = mails
    assert "one" in mail.text


def refusing(context, *, lasting, any_mail=False):
    def carry(mail):
        raise Undelivered("not now", lasting=lasting, any_mail=any_mail)

    return replace(context, carry=carry)


@pytest.mark.parametrize("lasting", [False, True])
def test_a_mail_server_that_takes_nothing_costs_nobody_a_digest(
    subscribe, publish, context, clock, mails, digest, lasting
):
    subscribe()
    publish("one")
    clock.forward(days=1)
    for _ in range(GIVEN_UP_AFTER):
        with pytest.raises(Undelivered):
            send_one_digest(refusing(context, lasting=lasting, any_mail=True))
        assert digest().next_at == clock() + timedelta(minutes=15)
        clock.forward(minutes=15)

    send_one_digest(context)

    assert len(mails) == 1


def test_an_address_that_refuses_five_times_gets_no_more(
    subscribe, publish, context, clock, digest
):
    subscribe()
    publish("one")
    for _ in range(GIVEN_UP_AFTER):
        clock.forward(days=1)
        send_one_digest(refusing(context, lasting=False))  # busy, which counts for nothing
    for left in (4, 3, 2, 1, 0):
        clock.forward(days=1)
        send_one_digest(refusing(context, lasting=True))
        assert (digest() is not None) == (left > 0)


def mail_of(items, *, total=None):
    return digest_mail(
        Digest(account=Account(email="ada@acme.example"), frequency=WEEKLY, token="t0ken"),
        DigestContent(items, total or len(items), 0),
        site_url="https://changewire.example",
        at=datetime(2026, 11, 21, tzinfo=UTC),
    )


def item(title="News", **changes):
    facts = {
        "source_name": "Acme Mail",
        "headline": title,
        "path": "/e/acme.mail/2026-11-20-news",
        "published_at": datetime(2026, 11, 20, tzinfo=UTC),
        "importance": None,
        "is_new": True,
    }
    return DigestItem(**(facts | changes))


def test_an_important_entry_comes_with_its_evidence_and_its_deadline():
    why = {
        "categories": ["deprecation"],
        "evidence": [{"category": "deprecation", "text": "- Version 1 goes <soon>."}],
        "deadlines": [
            {"kind": "removal", "from": day, "to": day} for day in ("2026-11-20", "2027-03-01")
        ],
    }

    mail = mail_of([item(importance=orjson.dumps(why))])

    assert 'deadline 1 March 2027\n  "Version 1 goes <soon>."' in mail.text
    assert "“Version 1 goes &lt;soon&gt;.”" in mail.html


def test_there_is_a_way_out_in_the_header_and_in_both_texts():
    mail = mail_of([item()])

    assert dict(mail.headers) == {
        "List-Unsubscribe": "<https://changewire.example/unsubscribe?token=t0ken>",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }
    assert "https://changewire.example/unsubscribe?token=t0ken" in mail.text
    assert 'href="https://changewire.example/unsubscribe?token=t0ken"' in mail.html


@given(texts, texts)
def test_what_vendors_write_stays_text(title, name):
    mail = mail_of([item(title=f"<b>{title}</b>", source_name=name)])

    assert "<b>" not in mail.html
    assert "\r" not in mail.subject + mail.text
    assert mail_item(item(title, source_name=name or "x"), today=TODAY)["title"].count("\n") == 0
