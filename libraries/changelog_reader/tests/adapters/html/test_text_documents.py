"""Changelog files, read as pages."""

from contextlib import suppress
from pathlib import Path

import pytest

from changelog_reader.adapters.base import UnreadableDocument
from changelog_reader.adapters.html import parse_page
from changelog_reader.adapters.html.text_documents import text_format

DOCUMENTS = Path(__file__).parent / "documents"
CHANGELOG_MD, CHANGES_RST, COMPONENTS_MDX = (
    (DOCUMENTS / name).read_bytes() for name in ("CHANGELOG.md", "CHANGES.rst", "change-log.mdx")
)


def entries_of(body: bytes, name: str, content_type: str = "text/plain; charset=utf-8"):
    address = f"https://vendor.example/main/{name}"
    return parse_page(body, address=address, content_type=content_type).entries


def read(body: bytes, name: str, content_type: str = "text/plain"):
    return [
        (entry.title, str(entry.published_at and entry.published_at.date()), entry.summary)
        for entry in entries_of(body, name, content_type)
    ]


def test_markdown_is_read_by_its_headings():
    assert read(CHANGELOG_MD, "CHANGELOG.md") == [
        (
            "1.2.0 (2026-03-04)",
            "2026-03-04",
            "## Features\n\n- faster search over two lines, see https://vendor.example/search",
        ),
        ("1.1.0 (2026-02-01)", "2026-02-01", "- first public release"),
    ]


def test_restructured_text_is_read_by_its_sections_roles_and_directives():
    assert read(CHANGES_RST, "CHANGES.rst") == [
        ("Version 2.1", "2026-03-04", "- Removed acme.old, use new. 12\n2.1 It raises an error."),
        ("Version 2.0", "2026-01-02", "- See the guide."),
    ]


FILES = {
    "NEWS": [
        ("Noteworthy changes in release 9.5 (2026-03-28) [stable]", "2026-03-28 00:00"),
        ("Noteworthy changes in release 9.4 (2026-01-29) [stable]", "2026-01-29 00:00"),
        "## Bug fixes\n\ncp no longer drops the <mode> of a file. [bug introduced in acme-9.4]",
    ],
    "changelog": [
        ("acme 2.1-1", "2026-03-04 03:10"),
        ("acme 2.0-2", "2026-02-02 12:00"),
        "[ Ann Author ]\n\n- New upstream release.\n- Drop the <b> patch.",
    ],
    "Changes": [
        ("1.20", "2026-03-03 10:00"),
        ("1.19", "2026-02-02 12:00"),
        "[Fixes]\n\n- Keep the order of keys across forks",
    ],
    "CHANGELOG.adoc": [
        ("2.1.0 (2026-03-03)", "2026-03-03 00:00"),
        ("2.0.0 (2026-02-02)", "2026-02-02 00:00"),
        "Added\n\n- Read tables and their rows\n- Also nested ones\n\nacme run",
    ],
    "readme.txt": [
        ("2.1 - 2026-03-03", "2026-03-03 00:00"),
        ("2.0 - 2026-02-02", "2026-02-02 00:00"),
        "- Fixed: the button",
    ],
}


@pytest.mark.parametrize("name", FILES)
def test_a_changelog_file_gives_its_releases_with_date_and_text(name):
    *releases, text = FILES[name]

    entries = entries_of((DOCUMENTS / name).read_bytes(), name)

    assert [(entry.title, f"{entry.published_at:%Y-%m-%d %H:%M}") for entry in entries] == releases
    assert entries[0].summary == text


def test_components_of_mdx_leave_their_labels_and_their_content():
    assert read(COMPONENTS_MDX, "change-log.mdx") == [
        ("Filter File Types", "2026-08-05", "You can restrict which files a user uploads."),
        ("Nullable Channels", "2026-07-01", "The field is now nullable."),
    ]


@pytest.mark.parametrize(
    ("text", "name", "media_type", "expected"),
    [
        ("# A\n\n- b\n", "page.html", "text/html", "Markdown"),
        ("<p>a</p>\n# b\n# c\n", "page", "text/html", None),
        ("<!doctype html><h1>a</h1>", "README.md", "text/html", None),
        ("<!doctype html><h1>a</h1>", "README.md", "text/plain", None),
        ('{"a": "# b"}', "releases.md", "text/plain", None),
        ("Just a sentence.", "page", "text/plain", None),
        ("Just a sentence.", "NOTES.md", "text/plain", "Markdown"),
        ("**1.2**\n\n- a\n\n**1.1**\n\n- b\n", "changes.txt", "text/plain", "Markdown"),
        ("1.2\n---\n\n- a\n\n1.1\n---\n", "NEWS", "text/plain", "Markdown"),
        ("1.2\n---\n\n.. note:: a\n", "NEWS", "text/plain", "reStructuredText"),
        ("# A\n", "feed", "application/xml", None),
    ],
)
def test_a_page_stays_a_page(text, name, media_type, expected):
    address = f"https://vendor.example/{name}"

    assert text_format(text, address=address, media_type=media_type) == expected


def test_what_a_document_names_outside_of_it_is_not_read():
    included = b".. include:: /etc/passwd\n\nText.\n\n.. raw:: html\n   :file: /etc/passwd\n"

    entries = entries_of(b"1.2.0\n=====\n\n" + included + b"\n1.1.0\n=====\n\nMore.\n", "NEWS.rst")

    assert entries[0].summary == "Text."


def test_markup_in_a_document_is_cleaned_like_any_other():
    hostile = b"a <img src=x onerror=alert(1)> [b](javascript:c)\n\n<script>alert(2)</script>\n"

    entry = entries_of(b"# 1.2.0\n\n" + hostile + b"\n# 1.1.0\n\nx\n", "CHANGELOG.md")[0]

    assert "alert" not in (entry.html or "")
    assert "javascript" not in (entry.html or "")


@pytest.mark.parametrize(
    "body",
    [
        b"**" * 50_000,
        b"# " * 50_000,
        b"`" * 90_000,
        b"a\n=" * 40_000,
        b"<A " * 40_000,
        b"- " * 5_000,
        b"= a\n[[" * 40_000,
        b"link:" * 40_000,
    ],
)
@pytest.mark.parametrize("name", ["CHANGELOG.md", "CHANGELOG.mdx", "NEWS.rst", "CHANGES", "a.adoc"])
def test_hostile_text_ends(body, name):
    with suppress(UnreadableDocument):
        entries_of(body, name)
