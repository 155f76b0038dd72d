"""The sitemap: what everybody may read, and of the catalog the sample only."""

from datetime import timedelta
from xml.etree import ElementTree

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def addresses(browser):
    """Return the paths in the sitemap."""
    root = ElementTree.fromstring(browser.get("/sitemap.xml").data)
    found = [element.text for element in root.iter(f"{NAMESPACE}loc")]
    return [address.removeprefix("https://changewire.example") for address in found]


def test_the_sitemap_has_the_sample_and_its_entries_only(browser, publish):
    sample = [path for path in addresses(browser) if path.startswith("/sources/")]
    publish(sample[0].rpartition("/")[2], inside=timedelta(hours=1))
    outside = "hooli.mail" if "/sources/hooli.mail" not in sample else "acme.console"
    assert f"/sources/{outside}" not in sample
    publish(outside, outside=timedelta(hours=1))

    entries = [path for path in addresses(browser) if path.startswith("/e/")]

    robots = browser.get("/robots.txt").text
    assert "Sitemap: https://changewire.example/sitemap.xml" in robots
    assert "Disallow: /app/" in robots
    assert len(sample) == 5
    assert [path.split("/")[2] for path in entries] == [sample[0].rpartition("/")[2]]


def test_every_address_of_it_is_a_page(browser, publish):
    slug = next(path for path in addresses(browser) if path.startswith("/sources/"))
    publish(slug.rpartition("/")[2], **{"a/b&<c>": timedelta(hours=1)})

    answers = {path: browser.get(path).status_code for path in addresses(browser)}

    assert set(answers.values()) == {200}
