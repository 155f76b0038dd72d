"""The invented vendors, and whether the adapters read them as they read real ones."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpcore2
import pytest

from ingest.sandbox.documents import read_document
from openapi.vocabulary import AdapterType
from service.demo.internet import SHOWN, InventedInternet, feed
from service.demo.vendors import HISTORY, Announcement, announcements, read_products

NOW = datetime(2026, 11, 23, 15, 40, tzinfo=UTC)
PRODUCTS = read_products()
BY_SLUG = {product.slug: product for product in PRODUCTS}
each_product = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.slug)


def test_there_are_two_dozen_vendors_and_a_slug_stands_once():
    assert len({product.vendor for product in PRODUCTS}) >= 24
    assert len(BY_SLUG) == len(PRODUCTS)


@each_product
def test_all_is_announced_on_working_days_of_the_last_two_years(product):
    times = [one.at for one in announcements(product, now=NOW)]

    assert times == sorted(times)
    assert all(NOW - HISTORY - timedelta(days=3) <= at <= NOW and at.weekday() < 5 for at in times)


def test_a_day_in_a_text_is_counted_from_its_announcement():
    product = replace(BY_SLUG["basalt.dns"], entries=(("Goodbye", "It ends on {+30}."),))

    (one,) = announcements(product, now=NOW)

    later = one.at + timedelta(days=30)
    assert one.text == f"It ends on {later:%B} {later.day}, {later.year}."


def test_an_edit_is_seen_from_its_day_on():
    one = Announcement("1", "Goodbye", "In May.", NOW, "In June.", NOW + timedelta(days=2))

    assert one.text_at(NOW + timedelta(days=1)) == "In May."
    assert one.text_at(NOW + timedelta(days=2)) == "In June."


@each_product
def test_an_adapter_reads_every_announcement_with_its_title_and_day(product):
    shown = announcements(product, now=NOW)

    body = feed(product, shown, at=NOW)
    parsed = read_document(AdapterType.RSS, body, product.feed_url, None)

    expected = [(one.title.replace("`", ""), one.at.replace(microsecond=0)) for one in shown]
    assert [(e.title, e.published_at) for e in parsed.entries] == expected[::-1]


def answer(slug, at):
    internet = InventedInternet(PRODUCTS, clock=lambda: at, now=NOW)
    return internet.handle_request(httpcore2.Request("GET", BY_SLUG[slug].feed_url))


def test_a_feed_has_the_newest_announcements_of_its_moment():
    past = NOW - timedelta(days=200)
    known = [one.id for one in announcements(BY_SLUG["herondb.server"], now=NOW) if one.at <= past]

    text = answer("herondb.server", past).read().decode()

    assert re.findall(r'<guid isPermaLink="false">(.+?)</guid>', text) == known[-SHOWN:][::-1]


@pytest.mark.parametrize(("slug", "status"), [("moonpost.sms", 503), ("osprey.search", 404)])
def test_a_server_in_trouble_answers_until_it_begins(slug, status):
    days = BY_SLUG[slug].trouble_days

    assert answer(slug, NOW - timedelta(days=days + 1)).status == 200
    assert answer(slug, NOW).status == status
