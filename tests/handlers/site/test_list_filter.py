"""The filter of a list in its address."""

from datetime import UTC, date, datetime, timedelta
from urllib.parse import parse_qsl

from hypothesis import given
from hypothesis import strategies as st

from handlers.site.list_filter import ListFilter, parse_list_filter
from openapi.vocabulary import Category, Kind

WORDS = st.text(min_size=1, max_size=40).map(lambda text: " ".join(text.replace("\0", "").split()))
DAYS = st.dates(date(2000, 1, 1), date(9999, 12, 30)).map(str)
SAID = st.fixed_dictionaries(
    {},
    optional={
        "q": WORDS.filter(bool),
        "category": st.sets(st.sampled_from(sorted(Category)), min_size=1).map(",".join),
        "sources": st.just("acme.mail,globex.mail"),
        "kind": st.sampled_from(Kind).map(str),
        "since": DAYS | st.just("2026-11-19T12:00:00Z"),
        "until": DAYS,
        "prerelease": st.sampled_from(["false", "true"]),
    },
)


def test_what_makes_no_sense_is_left_out_and_named():
    wrong = {"category": "x", "prerelease": "0", "kind": "<b>", "since": "soon", "tag": '"'}

    wanted = parse_list_filter({**wrong, "q": " "})

    assert (wanted, wanted.wrong) == (ListFilter(), wrong)


def test_both_days_are_included():
    entries = parse_list_filter({"since": "2026-11-01", "until": "2026-11-02"}).entry_filter()

    assert entries.since == datetime(2026, 11, 1, tzinfo=UTC) - timedelta(microseconds=1)
    assert entries.until == datetime(2026, 11, 3, tzinfo=UTC) - timedelta(microseconds=1)


def test_hidden_parameters_are_not_read_and_fixed_ones_always_hold():
    wanted = parse_list_filter(
        {"vendor": "globex", "kind": "blog"}, hidden={"vendor"}, fixed={"vendor": "acme"}
    )

    assert (wanted.query(), wanted.link("/vendors/acme")) == (
        "vendor=acme&kind=blog",
        "/vendors/acme?kind=blog",
    )


@given(SAID)
def test_every_filter_is_read_back_from_its_address_and_from_the_api(said):
    wanted = parse_list_filter(said)

    assert wanted.said == said
    for query in (wanted.link("").removeprefix("?"), wanted.query()):
        assert parse_list_filter(dict(parse_qsl(query, errors="surrogatepass"))) == wanted
