"""Titles and texts of pages: what titles an entry, and where its text begins and ends."""

import pytest

from changelog_reader.adapters.html import parse_page

DAYS = (
    ("Voice Encryption Modes", "August 20, 2024", "2024-08-20"),
    ("Supported SDKs", "August 12, 2024", "2024-08-12"),
    ("User Apps", "June 27, 2024", "2024-06-27"),
)


def entries_of(
    body: str, *, address: str = "https://vendor.example/changelog", title: str = "Changelog"
):
    page = f"<!doctype html><html lang=en><head><title>{title}</title></head><body>{body}</body>"
    return parse_page(page.encode(), address=address, content_type="text/html").entries


def read(body: str, **options: str):
    return [
        (entry.title, str(entry.published_at and entry.published_at.date()), entry.summary)
        for entry in entries_of(body, **options)
    ]


def days(pattern: str) -> str:
    return "<main><h1>Change Log</h1>" + "".join(
        pattern.format(title=title, day=day) for title, day, _ in DAYS
    )


@pytest.mark.parametrize(
    "pattern",
    [
        "<h2>{title}</h2><h4>{day}</h4><p>About {title}.</p>",
        "<h3>{title}</h3><h2>{day}</h2><p>About {title}.</p>",
        "<h2>{title}</h2><h2>{day}</h2><p>About {title}.</p>",
        "<section><h2>{title}</h2><h3>{day}</h3><p>About {title}.</p></section>",
        "<h2>{day}</h2><h3>{title}</h3><p>About {title}.</p>",
    ],
)
def test_a_heading_beside_a_day_that_is_a_heading_is_the_title(pattern):
    assert read(days(pattern)) == [(title, iso, f"About {title}.") for title, _, iso in DAYS]


def test_headings_inside_a_posting_stay_in_its_text():
    pattern = "<h2>{title}</h2><h4>{day}</h4><p>A.</p><h3>Why</h3><p>B.</p><h4>How</h4><p>C.</p>"

    assert [(title, text) for title, _, text in read(days(pattern))] == [
        (title, "A.\n\n## Why\n\nB.\n\n## How\n\nC.") for title, _, _ in DAYS
    ]


def test_a_day_with_several_headings_below_stays_one_entry():
    pattern = "<h2>{day}</h2><h3>{title}</h3><p>A.</p><h3>Fixes</h3><p>B.</p>"

    assert read(days(pattern))[0] == (
        "August 20, 2024",
        "2024-08-20",
        "## Voice Encryption Modes\n\nA.\n\n## Fixes\n\nB.",
    )


def test_a_day_above_nothing_but_categories_stays_the_title():
    pattern = "<h2>{day}</h2><h3>Fixed</h3><p>About {title}.</p>"

    assert [title for title, _, _ in read(days(pattern))] == [day for _, day, _ in DAYS]


@pytest.mark.parametrize(
    "body",
    [
        "<main><article><header><h1>Acme 2.0</h1><p>May 3, 2024</p></header>"
        "<div><p>We removed it.</p><ul><li>faster</li></ul></div></article></main>",
        "<main><div><div><h1>Acme 2.0</h1></div><p>May 3, 2024</p>"
        "<div><p>We removed it.</p><ul><li>faster</li></ul></div></div></main>",
        "<main><div><div><div><h1>Acme 2.0</h1><p>May 3, 2024</p></div></div>"
        "<p>We removed it.</p><ul><li>faster</li></ul></div></main><p>Terms of this site</p>",
        "<h1>Acme 2.0</h1><p>May 3, 2024</p><p>We removed it.</p><ul><li>faster</li></ul>",
    ],
)
def test_the_page_of_one_release_keeps_its_text_wherever_its_header_stands(body):
    entries = entries_of(
        body, address="https://vendor.example/releases/2.0", title="Acme 2.0 release notes"
    )

    assert [(entry.title, entry.summary, entry.url) for entry in entries] == [
        ("Acme 2.0", "We removed it.\n\n- faster", "https://vendor.example/releases/2.0")
    ]


def test_the_page_of_a_release_without_a_date_is_read_where_its_address_names_the_version():
    body = "<main><header><h1>Acme 2.0</h1></header><p>We removed it.</p></main>"

    assert read(body, address="https://vendor.example/release-notes/2.0/") == [
        ("Acme 2.0", "None", "We removed it.")
    ]
    assert read(body, address="https://vendor.example/release-notes/2.0.1/") == []


@pytest.mark.parametrize(
    "ending",
    [
        '<a href="/1">Read more</a>',
        '<p><a href="/1">阅读更多</a></p>',
        '<p><a href="/1">Read more →</a></p><div><a href="/0">Previous</a> <a href="/2">Next</a>',
        '<div><a href="/1">Continue reading</a></div><p>Was this page helpful? Yes No</p>',
        '<ul><li><a href="/s">Share</a></li><li><a href="/t">Tweet</a></li></ul>',
        '<p><a href="/1">続きを読む</a></p>',
    ],
)
def test_what_the_page_adds_ends_no_text(ending):
    pattern = f"<article><h2>{{title}}</h2><p>{{day}}</p><p>About {{title}}.</p>{ending}</article>"

    assert [text for _, _, text in read(days(pattern))] == [
        f"About {title}." for title, _, _ in DAYS
    ]


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ('<p>For more, <a href="/d">read the guide</a></p>', "For more, read the guide"),
        ('<p>We <a href="/d">learn more</a></p>', "We learn more"),
        ('<ul><li><a href="/1">#123</a></li><li><a href="/2">#124</a></li></ul>', "- #123\n- #124"),
        ('<p><a href="/d">Faster search</a></p>', "Faster search"),
        ("<p>Next previous</p>", "Next previous"),
    ],
)
def test_what_a_vendor_says_ends_a_text(ending, expected):
    pattern = f"<article><h2>{{title}}</h2><p>{{day}}</p><p>About {{title}}.</p>{ending}</article>"

    assert {text.split("\n\n", 1)[1] for _, _, text in read(days(pattern))} == {expected}


def test_the_menu_of_the_page_ends_the_last_entry_and_no_other():
    menu = "<ul>" + "".join(f'<li><a href="/x">{name}</a>' for name in ("Home", "Docs", "Prices"))
    pattern = (
        f"<article><h2>{{title}}</h2><p>{{day}}</p><p>About {{title}}.</p>{menu}</ul></article>"
    )

    texts = [text for _, _, text in read(days(pattern))]

    assert texts[0] == "About Voice Encryption Modes.\n\n- Home\n- Docs\n- Prices"
    assert texts[-1] == "About User Apps."


def test_marks_of_markdown_are_no_title():
    lines = "".join(f"<p>**6.{n}.0 / 2024-08-0{n}**<br>- fix {n}<br>- add {n}</p>" for n in (3, 2))

    assert [title for title, _, _ in read(f"<h1>Changelog</h1>{lines}")] == ["6.3.0", "6.2.0"]


@pytest.mark.parametrize("heading", ["## 1.{n}.0 (2024-08-0{n})\n", "**1.{n}.0** (2024-08-0{n})"])
def test_a_page_that_shows_a_text_document_is_read_like_it(heading):
    text = "\n\n".join(heading.format(n=n) + f"\n- fix {n}" for n in (3, 2, 1))

    assert [entry.summary for entry in entries_of(f"<h1>a</h1><pre>{text}</pre>")] == [
        "- fix 3",
        "- fix 2",
        "- fix 1",
    ]


def test_versions_in_a_list_are_read():
    items = "".join(
        f"<li>1.{n}.0 (2024-08-0{n})<ul><li>fix {n}</li><li>add more</li></ul></li>"
        for n in (3, 2, 1)
    )

    assert read(f"<h1>Releases</h1><ul>{items}</ul>")[0] == (
        "1.3.0",
        "2024-08-03",
        "- fix 3\n- add more",
    )


@pytest.mark.parametrize(
    "article",
    [
        '<article><a href="/s/{n}"><h2>Story {n}</h2></a><time datetime="2024-08-0{n}">A</time>'
        "<p>It is a long story about life.</p></article>",
        '<div itemscope itemtype="http://schema.org/NewsArticle"><h2 itemprop=headline>No. {n}</h2>'
        '<time itemprop=datePublished datetime="2024-08-0{n}">A</time><p>Long, about life.</div>',
    ],
)
@pytest.mark.parametrize("path", ["", "/", "/en/", "/index.html"])
def test_the_home_page_of_a_magazine_gives_nothing(article, path):
    body = "".join(article.format(n=n) for n in range(9, 0, -1))
    address = f"https://magazine.example{path}"

    assert read(body, address=address, title="The Magazine: News, Updates and Life") == []


def test_the_home_page_of_a_blog_is_read():
    article = '<article><h2>Story</h2><time datetime="2024-08-0{n}">A</time><p>Text {n}.</article>'
    body = "".join(article.format(n=n) for n in range(9, 0, -1))

    assert len(read(body, address="https://blog.vendor.example/")) == 9


def test_releases_without_a_date_stand_among_dated_ones():
    headings = ["2.1.0", "2.0.0", "1.3.0 - 2024-08-03", "1.2.0 - 2024-08-02", "1.1.0 - 2024-08-01"]
    body = "".join(f"<h2>{heading}</h2><p>Change.</p>" for heading in headings)

    assert [title for title, _, _ in read(f"<h1>Changelog</h1>{body}")] == headings


def test_a_short_version_is_a_release_among_others_of_its_product():
    headings = [f"Acme App {number} – Faster" for number in ("4.1.1", "4.1.0", "4.0.1", "3.9")]
    body = "".join(f"<h2>{heading}</h2><p>Change.</p>" for heading in headings)

    assert [title for title, _, _ in read(f"<h1>Release notes</h1>{body}")] == headings


def test_a_title_that_only_names_a_list_is_no_posting():
    body = "<h1>Release notes</h1><p>May 3, 2024</p><p>This is a template.</p>"

    assert read(body, title="Release notes - Acme") == []


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("<p><span>Feature</span><span>1 day ago</span></p>", "Feature 1 day ago"),
        ("<p><span>Feature</span> <span>New</span></p>", "Feature New"),
        ("<p><span>a</span><span>b</span>c</p>", "abc"),
        ("<p>Use <code><span>get</span><span>(name)</span></code></p>", "Use get(name)"),
    ],
)
def test_labels_that_only_style_sets_apart_are_words_of_their_own(markup, text):
    pattern = "<h2>{title}</h2><p>{day}</p>" + markup

    assert {summary for _, _, summary in read(days(pattern))} == {text}


def test_headings_of_the_releases_level_that_come_again_and_again_are_parts_of_them():
    entries = entries_of(
        "<h1>Changelog</h1>"
        "<h2>[core@2.0.0] - 2026-03-04</h2><h2>What's Changed</h2><ul><li>Charts draw</li></ul>"
        "<h2>New Contributors</h2><p>Ann</p>"
        "<h2>[core@1.1.0] - 2026-02-03</h2><h2>What's Changed</h2><ul><li>Maps load</li></ul>"
        "<h2>New Contributors</h2><p>Bob</p>"
        "<h2>[core@1.0.0] - 2026-01-02</h2><h2>What's Changed</h2><ul><li>Boards</li></ul>"
        "<h2>About us</h2><p>We draw charts.</p>"
    )

    assert [entry.title for entry in entries] == [
        "[core@2.0.0] - 2026-03-04",
        "[core@1.1.0] - 2026-02-03",
        "[core@1.0.0] - 2026-01-02",
    ]
    assert entries[0].summary == (
        "## What's Changed\n\n- Charts draw\n\n## New Contributors\n\nAnn"
    )
    assert entries[2].summary == "## What's Changed\n\n- Boards"
