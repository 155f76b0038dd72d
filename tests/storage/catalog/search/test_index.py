"""What a search of the catalog means, and in which order."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openapi.vocabulary import Kind, Tier
from storage.catalog.search.index import IndexedSource, SearchIndex
from storage.catalog.search.words import words_of


def test_a_name_is_found_without_its_vendor(source, find):
    sources = [source("aws.s3", "Amazon S3"), source("aws.s3-tools", "S3 Tools")]

    assert find(sources, "s3")[0] == "aws.s3"
    assert find(sources, "aws s3")[0] == "aws.s3"


@pytest.mark.parametrize(
    "text", ["big query", "BigQuery", "bigquery", "BIG QUERY", "big-query", "bigqeury", "bigq"]
)
def test_spelling_and_spacing_are_forgiven(source, find, text):
    sources = [source("google-cloud.bigquery", "BigQuery"), source("acme.mail", "Acme Mail")]

    assert find(sources, text) == ["google-cloud.bigquery"]


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("k8s", "kubernetes.releases"),
        ("next.js", "vercel.next.js"),
        ("gcp kubernetes", "google-cloud.kubernetes"),
        ("ubernete", "kubernetes.releases"),
        ("kubernetes changelog", "kubernetes.releases"),
        ("kubernetes 1.33", "kubernetes.releases"),
    ],
)
def test_people_call_things_by_other_names(source, find, text, slug):
    sources = [
        source("kubernetes.releases", "Kubernetes"),
        source("google-cloud.kubernetes", "Google Kubernetes Engine", aliases=("GKE",)),
        source("vercel.next.js", "Next.js", tier=Tier.COMPONENT),
    ]

    assert find(sources, text)[0] == slug


def test_products_come_before_components_before_blogs(source, find):
    sources = [
        source("acme.blog", "Acme", tier=Tier.BLOG),
        source("acme.sdk", "Acme", tier=Tier.COMPONENT),
        source("acme.product", "Acme"),
    ]

    assert find(sources, "acme") == ["acme.product", "acme.sdk", "acme.blog"]


def test_every_word_must_occur(source, find):
    sources = [source("acme.mail", "Acme Mail", tags=("email",)), source("acme.sms", "Acme SMS")]

    assert find(sources, "acme sms") == ["acme.sms"]
    assert find(sources, "acme fax") == []
    assert find(sources, "acme email") == ["acme.mail"]


@pytest.mark.parametrize("text", ["%", "_", "\\", "  ", "zzzzqqq", "xyzzy foobar quux plugh", "☃"])
def test_nothing_is_found_by_what_nothing_has(source, find, text):
    assert find([source("acme.mail", "Acme Mail")], text) == []


def test_a_wrong_slug_is_near_those_of_its_vendor(source):
    index = SearchIndex([source("acme.mail", "Mail"), source("acmf.mail", "Mail")])

    assert index.near("acme.mial", most=3) == ["acme.mail"]
    assert index.near("acmg.mail", most=3) == ["acme.mail", "acmf.mail"]


def test_a_misspelt_name_is_near_the_product_that_is_called_so(source):
    sources = [
        source("kubernetes.bom", "Kubernetes BOM"),
        source("kubernetes.kubernetes", "Kubernetes", tier=Tier.COMPONENT),
        source("hashicorp.terraform", "Terraform"),
    ]
    index = SearchIndex(sources)

    assert index.near("kubernets", most=1) == ["kubernetes.kubernetes"]
    assert index.near("terrafrom", most=3) == ["hashicorp.terraform"]


def test_a_beginning_finds_all_words_that_begin_so(source, find):
    sources = [source(f"acme.s{n}", f"Cloud{n:04}") for n in range(400)]

    assert len(find(sources, "cloud")) == 400


@given(
    st.lists(st.from_regex(r"[abc]{1,3}\.[abc]{1,4}", fullmatch=True), max_size=12, unique=True),
    st.text(st.sampled_from("abcAB 東.-+#é"), max_size=12),
)
def test_every_source_is_found_by_its_slug_first_and_none_twice(slugs, text):
    index = SearchIndex(
        IndexedSource(n, slug, slug[0], text, Kind.BLOG, "rss", Tier.PRODUCT, (), (text,))
        for n, slug in enumerate(slugs)
    )

    assert [index.find(slug)[0].slug for slug in slugs] == slugs
    found = [each.slug for each in index.find(text)]
    assert len(found) == len(set(found))


@pytest.mark.parametrize("text", ["acme " * 40, "a" * 200, "ab " * 66, "q1w2e3 " * 28])
def test_a_long_search_ends_fast(source, text):
    index = SearchIndex([source(f"acme.s{n}", f"Acme ab{n}") for n in range(900)])
    started = time.process_time()

    index.find(text)

    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("C++ and C#", ("cplusplus", "and", "csharp")),
        (".NET 10", ("dotnet", "10")),
        ("What's New in Café", ("whats", "new", "in", "cafe")),
        ("東京 Ångström ẞ", ("東京", "angstrom", "ss")),
        (" %_\\ ", ()),
    ],
)
def test_a_name_has_these_words(text, words):
    assert words_of(text) == words
