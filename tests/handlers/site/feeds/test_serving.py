"""How feeds are served: the same bytes, validators, caches, and nothing that takes them down."""

import json
from datetime import date, timedelta
from html import unescape
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from icalendar import Calendar
from sqlalchemy import select, update
from werkzeug.http import http_date

from handlers.site.feeds.feed_views import FEEDS
from openapi.text import writable
from openapi.vocabulary import DeadlineKind
from storage.entries.deadline_history import DeadlineRecord
from storage.models import Entry

PATHS = [path for path, _, _ in FEEDS]
ATOM = "{http://www.w3.org/2005/Atom}"
DAY = date(2027, 3, 1)
REMOVAL = DeadlineRecord(DeadlineKind.REMOVAL, DAY, DAY, "It goes.")
HOUR = timedelta(hours=1)
POISON = [
    '{"id":"1","source":"acme.mail","vendor":"acme","title":"a\\u0000b",'
    '"url":null,"summary":"\\u000b\\u001b","tags":["\\u0007"]}',
    '{"id":"\\ud800","source":"acme.mail","vendor":"acme","title":"\\udc00",'
    '"url":null,"summary":"\\ud83d","tags":[]}',
    "[]",
    '{"id":1,"source":2,"vendor":[],"title":3,"url":4,"summary":5,"tags":6}',
    '{"id":"1","source":"acme.mail","vendor":"acme","title":"]]><script>&",'
    '"url":"https://acme.example/?a=1&b=<","summary":"]]></description><x>","tags":["&"]}',
]


def written(data, path):
    """Read a feed strictly; return the titles in it."""
    if path.endswith(".xml"):
        return [each.findtext("title") for each in ElementTree.fromstring(data).iter("item")]
    if path.endswith(".atom"):
        entries = ElementTree.fromstring(data).iter(f"{ATOM}entry")
        return [entry.findtext(f"{ATOM}title") for entry in entries]
    if path.endswith(".json"):
        return [item["title"] for item in json.loads(data.decode("utf-8"))["items"]]
    return [str(each["SUMMARY"]) for each in Calendar.from_ical(data).walk("VEVENT")]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    ("column", "poison"),
    [
        *(("public_document", poison) for poison in POISON),
        *(("importance", poison) for poison in ("[]", "{", '{"evidence":[{}]}')),
    ],
)
def test_one_poisoned_entry_never_takes_a_feed_down(show, site, database, path, column, poison):
    show("good", hours=2, categories=["breaking"], deadlines=[REMOVAL])
    show("bad", hours=1, categories=["breaking"], deadlines=[REMOVAL])
    with database.write() as session:
        bad = update(Entry).where(Entry.title == "bad")
        session.execute(bad.values({column: poison.encode("utf-8", "surrogatepass")}))

    response = site.get(path)

    assert response.status_code == 200
    assert any("good" in each for each in written(response.data, path))


@pytest.mark.parametrize(("age", "status"), [(timedelta(0), 304), (-HOUR, 200), (HOUR, 304)])
@pytest.mark.parametrize("path", [path for path in PATHS if path != "/deadlines.ics"])
def test_a_reader_that_knows_only_times_is_told_by_time(show, site, now, path, age, status):
    show("One", hours=3, categories=["breaking"])

    since = http_date(now + age)

    assert site.get(path, headers={"If-Modified-Since": since}).status_code == status


@pytest.mark.parametrize(("path", "media_type", "title"), FEEDS)
def test_a_feed_is_announced_as_what_it_is(site, path, media_type, title):
    response = site.get(path)

    assert response.mimetype == media_type
    assert response.headers["Cache-Control"] == "public, max-age=60"
    assert response.headers["Access-Control-Allow-Origin"] == "*"
    assert title.startswith("Changewire: ")


TEXTS = st.text(st.characters(), max_size=80)


@settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(title=TEXTS, summary=TEXTS, label=TEXTS)
def test_no_text_breaks_a_format(site, show, database, title, summary, label):

    show("x", categories=["breaking"], deadlines=[REMOVAL])
    with database.write() as session:
        found = session.scalars(select(Entry)).one()
        document = json.loads(found.public_document) | {
            "headline": title,
            "summary": summary,
            "tags": [label],
        }
        found.public_document = json.dumps(document).encode()

    for path in PATHS:
        (read,) = written(site.get(path).data, path)
        kept = " ".join(writable(title).split())
        assert any(kept in " ".join(each.split()) for each in (read, unescape(read)))
