"""The invented vendors, and whether the adapters read them as they read real ones."""

from datetime import UTC, datetime, timedelta

import httpcore2
import pytest

from ingest.sandbox.documents import read_document
from openapi.vocabulary import AdapterType
from service.demo.internet import InventedInternet, feed
from service.demo.vendors import announcements, read_products

NOW = datetime(2026, 11, 23, 15, 40, tzinfo=UTC)
PRODUCTS = read_products()
BY_SLUG = {product.slug: product for product in PRODUCTS}
each_product = pytest.mark.parametrize("product", PRODUCTS, ids=lambda product: product.slug)


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


@pytest.mark.parametrize(("slug", "status"), [("moonpost.sms", 503), ("osprey.search", 404)])
def test_a_server_in_trouble_answers_until_it_begins(slug, status):
    days = BY_SLUG[slug].trouble_days

    assert answer(slug, NOW - timedelta(days=days + 1)).status == 200
    assert answer(slug, NOW).status == status
