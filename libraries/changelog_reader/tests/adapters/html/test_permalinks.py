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


def test_a_page_of_its_own_comes_before_an_anchor():
    links = urls(versions('<h2 id="v{n}"><a href="/changelog/1-{n}">1.{n}.0</a></h2>'))

    assert links[0] == "https://acme.example/changelog/1-2"


def test_an_anchor_comes_before_a_link_to_another_site():
    links = urls(versions('<h2 id="v1.{n}"><a href="https://forge.example/{n}">1.{n}.0</a></h2>'))

    assert links[0] == "https://acme.example/changelog?tab=all#v1.2"


@pytest.mark.parametrize(
    "heading",
    [
        '<h2 id="section-{place}">1.{n}.0</h2>',
        '<h2 id="id{place}">1.{n}.0</h2>',
        '<h2 id=":r{n}a:">1.{n}.0</h2>',
        '<h2 id="radix-:r{n}:">1.{n}.0</h2>',
        '<h2 id="same">1.{n}.0</h2>',
        "<h2>1.{n}.0</h2>",
    ],
    ids=["counted", "counted by a generator", "made up", "made up too", "shared", "none"],
)
def test_an_anchor_that_another_entry_could_take_over_is_none(heading):
    assert urls(versions(heading)) == [None, None, None]


def test_numbers_that_count_down_are_the_vendors_own():
    assert urls(versions('<h2 id="news-{n}">1.{n}.0</h2>'))[0] is not None


def test_one_link_for_all_belongs_to_none():
    assert urls(versions('<h2><a href="/download">1.{n}.0</a></h2>')) == [None, None, None]


def test_a_link_that_runs_code_is_none():
    assert urls(versions('<h2><a href="javascript:go({n})">1.{n}.0</a></h2>')) == [None] * 3
