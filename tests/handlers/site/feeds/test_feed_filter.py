"""The filter in the address of a feed or the calendar."""

import pytest

from handlers.site.feeds.feed_views import FORMATS

pytestmark = pytest.mark.usefixtures("three")


@pytest.mark.parametrize("path", FORMATS)
def test_a_feed_has_what_its_filter_lets_through(site, path):
    feed = site.get(f"{path}?vendor=acme&category=security")

    assert feed.status_code == 200
    assert "acme.mail" in feed.text
    assert "globex.mail" not in feed.text
    assert "vendor=acme&" in feed.text.replace("&amp;", "&")
    assert site.get(f"{path}?vendor=nobody").status_code == 200


def test_a_calendar_has_what_its_filter_lets_through(site):
    for query, count in (("", 3), ("vendor=acme", 2), ("ends=removal", 3), ("ends=migration", 0)):
        assert site.get(f"/deadlines.ics?{query}").text.count("BEGIN:VEVENT") == count


@pytest.mark.parametrize(
    "path",
    ["/rss/updates.xml?vendr=acme", "/deadlines.ics?vendr=acme", "/feeds/acme.mail.atom?vendr="],
)
def test_a_feed_refuses_unknown_parameters_and_a_page_ignores_them(site, path):
    refused = site.get(path)

    assert refused.status_code == 400
    assert refused.text == "vendr is not a parameter of this feed.\n"
    assert site.get("/latest?vendr=acme&utm_source=mail").status_code == 200


@pytest.mark.parametrize(
    ("path", "name"), [("/rss/updates.xml", "category"), ("/deadlines.ics", "ends")]
)
def test_a_wrong_filter_is_told_in_one_line(site, path, name):
    refused = site.get(f"{path}?{name}=nice")

    assert refused.status_code == 400
    assert name in refused.text
    assert refused.text.count("\n") == 1
