"""GitHub's releases: drafts, prereleases, nulls, error bodies, and what is not disclosed."""

import json
from typing import Any

import pytest

from changelog_reader.adapters.base import ParsedEntry, UnreadableDocument
from changelog_reader.adapters.github_releases import parse_github_releases

ADDRESS = "https://api.github.com/repos/acme/tool/releases?per_page=100"
RELEASE = {
    "id": 1,
    "html_url": "https://github.com/acme/tool/releases/tag/v1",
    "tag_name": "v1",
    "published_at": "2026-06-30T14:00:00Z",
}


def read(*releases: Any) -> list[ParsedEntry]:
    body = json.dumps(releases).encode()
    return list(parse_github_releases(body, address=ADDRESS, content_type=None).entries)


def test_a_draft_is_not_published():
    assert [entry.vendor_id for entry in read(RELEASE, RELEASE | {"id": 2, "draft": True})] == ["1"]


@pytest.mark.parametrize(
    ("name", "title"), [("Tool one", "Tool one"), ("", "v1"), (None, "v1"), ("  ", "v1"), (7, "7")]
)
def test_the_title_is_the_name_or_else_the_tag(name, title):
    assert read(RELEASE | {"name": name})[0].title == title


def test_nulls_in_every_place_are_no_harm():
    (entry,) = read(dict.fromkeys([*RELEASE, "body", "author", "assets", "draft", "name"]))

    assert (entry.vendor_id, entry.url, entry.published_at) == (None, None, None)
    assert entry.title == "Untitled"


def test_wrong_types_are_no_harm():
    (entry,) = read(
        RELEASE
        | {"body": ["x"], "author": "wile", "assets": [1, {"name": {}, "size": "big"}]}
        | {"published_at": True, "tag_name": {"v": 1}}
    )

    assert entry.summary is None
    assert entry.raw["assets"] == [{"name": "", "size": None}]
    assert entry.date_source == "none"


def test_the_body_is_clean_text_and_clean_markup():
    (entry,) = read(
        RELEASE
        | {"body": "## Fixed\r\n- `a < b`\r\n<img src=x onerror=alert(1)>\r\n[x](javascript:y)"}
    )

    assert entry.summary == "## Fixed\n\n- a < b\nx"
    assert "onerror" not in (entry.html or "")
    assert "javascript" not in (entry.html or "")


def test_addresses_of_the_api_are_not_handed_on():
    (entry,) = read(
        RELEASE
        | {"url": ADDRESS, "assets_url": ADDRESS, "tarball_url": ADDRESS, "body": f"See {ADDRESS}"}
    )

    assert "api.github.com" not in repr(entry)


@pytest.mark.parametrize(
    "body",
    [
        b'{"message": "API rate limit exceeded", "documentation_url": "https://docs.example"}',
        b'{"message": "Not Found"}',
        b'[{"id": 1, "tag_na',
        b"<html><body>Unicorn!</body></html>",
    ],
)
def test_an_answer_without_releases_is_refused(body):
    with pytest.raises(UnreadableDocument):
        parse_github_releases(body, address=ADDRESS, content_type="application/json")
