"""The filter of a stream in its address."""

from datetime import UTC, date, datetime
from urllib.parse import parse_qsl, urlsplit

from hypothesis import given
from hypothesis import strategies as st

from handlers.site.stream_filter import StreamFilter, parse_stream_filter
from openapi.queries import ListLatest
from openapi.validation import contract_validator
from openapi.vocabulary import Category, Kind

WORDS = st.text(min_size=1, max_size=40).map(lambda text: " ".join(text.replace("\0", "").split()))
FILTERS = st.builds(
    StreamFilter,
    q=WORDS.map(lambda words: words or None),
    category=st.none() | st.sampled_from(Category),
    vendor=WORDS.map(lambda words: words or None),
    tag=st.none() | st.text("abcé- ", min_size=1).map(lambda tag: " ".join(tag.split()) or None),
    kind=st.none() | st.sampled_from(Kind),
    since=st.none() | st.dates(date(2000, 1, 1)),
    until=st.none() | st.dates(date(2000, 1, 1)),
    prerelease=st.sampled_from([None, "false", "true"]),
)
EVERYTHING = {
    "q": "  api\0  keys ",
    "category": "security",
    "vendor": "acme",
    "tag": "cloud",
    "kind": "blog",
    "since": "2026-11-01",
    "until": "2026-11-02",
    "prerelease": "false",
}


def test_an_address_says_what_is_meant():
    assert parse_stream_filter(EVERYTHING) == StreamFilter(
        "api keys",
        Category.SECURITY,
        "acme",
        "cloud",
        Kind.BLOG,
        date(2026, 11, 1),
        date(2026, 11, 2),
        prerelease="false",
    )


def test_what_makes_no_sense_is_left_out():
    given = {
        "category": "x",
        "prerelease": "0",
        "kind": "<b>",
        "since": "soon",
        "until": "2026-02-30",
        "q": "  ",
    }

    assert parse_stream_filter(given) == StreamFilter()


def test_both_days_are_included_and_prereleases_left_out():
    entries = parse_stream_filter(EVERYTHING).entry_filter()

    assert entries.since < datetime(2026, 11, 1, tzinfo=UTC) < entries.until
    assert entries.since.day == 31
    assert entries.until.date() == date(2026, 11, 2)
    assert entries.prerelease is False


@given(FILTERS)
def test_every_filter_is_read_back_from_its_address(wanted):
    address = urlsplit(wanted.link("/latest", 40)).query.encode("ascii").decode()

    found = dict(parse_qsl(address, errors="surrogatepass"))

    assert found.pop("offset") == "40"
    assert parse_stream_filter(found) == wanted


@given(FILTERS)
def test_the_api_takes_the_same_filter(wanted):
    sent = wanted.api_query().removeprefix("?").encode()

    contract_validator().parameters(ListLatest.OPERATION, sent)  # raises where it does not
