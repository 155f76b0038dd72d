"""Links to entries that stay theirs."""

import pytest

from changelog_reader.adapters.html import parse_page

ADDRESS = "https://acme.example/changelog?tab=all#top"


def urls(headings: list[str], around: str = "{}") -> list[str | None]:
    body = "".join(f"{heading}<p>Things that changed.</p>" for heading in headings)
    document = parse_page(around.format(body).encode(), address=ADDRESS, content_type=None)
    return [entry.url for entry in document.entries]


def versions(pattern: str) -> list[str]:
    return [pattern.format(n=n, place=2 - n) for n in (2, 1, 0)]


def test_the_id_of_a_heading_is_its_anchor():
    assert urls(versions('<h2 id="v1-{n}">1.{n}.0</h2>'))[0] == (
        "https://acme.example/changelog?tab=all#v1-2"
    )


@pytest.mark.parametrize(
    "heading",
    [
        '<a name="v{n}.0"></a><h2>1.{n}.0</h2>',
        '<span id="v{n}.0"></span><h2>1.{n}.0</h2>',
        '<h2><a name="v{n}.0">1.{n}.0</a></h2>',
        '<h2><a href="#v{n}.0">1.{n}.0</a></h2>',
        '<h2>1.{n}.0 <a class="headerlink" href="#v{n}.0">¶</a></h2>',
        '<div><h2>1.{n}.0</h2><a href="#v{n}.0">#</a></div>',
    ],
)
def test_an_anchor_is_found_around_a_heading(heading):
    assert [url and url.split("#")[1] for url in urls(versions(heading))] == [
        "v2.0",
        "v1.0",
        "v0.0",
    ]


@pytest.mark.parametrize(
    ("heading", "link"),
    [
        ('<h2 id="v{n}"><a href="/changelog/1-{n}">1.{n}.0</a></h2>', "/changelog/1-2"),
        ('<h2 id="v{n}"><a href="https://b.example/{n}">1.{n}.0</a></h2>', "/changelog?tab=all#v2"),
    ],
)
def test_a_page_of_its_own_comes_before_an_anchor_and_that_before_another_site(heading, link):
    assert urls(versions(heading))[0] == f"https://acme.example{link}"


@pytest.mark.parametrize(
    "heading",
    [
        '<h2 id="section-{place}">1.{n}.0</h2>',
        '<h2 id="id{place}">1.{n}.0</h2>',
        '<h2 id=":r{n}a:">1.{n}.0</h2>',
        '<h2 id="radix-:r{n}:">1.{n}.0</h2>',
        '<h2 id="same">1.{n}.0</h2>',
        '<h2><a href="/download">1.{n}.0</a></h2>',
        '<h2><a href="javascript:go({n})">1.{n}.0</a></h2>',
        "<h2>1.{n}.0</h2>",
    ],
    ids=["counted", "by a generator", "made up", "made up too", "shared", "one", "code", "none"],
)
def test_a_link_that_another_entry_could_take_over_or_that_runs_code_is_none(heading):
    assert urls(versions(heading)) == [None, None, None]


def test_numbers_that_count_down_are_the_vendors_own():
    assert urls(versions('<h2 id="news-{n}">1.{n}.0</h2>'))[0] is not None
