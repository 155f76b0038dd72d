"""The JSON objects that are stored with an entry."""

from datetime import UTC, datetime

import orjson
import pytest

from storage.entries.documents import (
    EntryRelease,
    EntryText,
    both_documents,
    entry_text,
    release_of,
)


def entry(title="Acme 1.2.3", **raw):
    return EntryText(
        external_id="1",
        source="acme.compute",
        vendor="acme",
        published_at=datetime(2026, 11, 1, tzinfo=UTC),
        title=title,
        url=None,
        summary=None,
        raw=raw,
        tags=("cloud",),
    )


@pytest.mark.parametrize(
    ("text", "release"),
    [
        (entry("Acme 1.2.3"), EntryRelease("1.2.3", False)),
        (entry("Acme 1.3.0-rc.1"), EntryRelease("1.3.0-rc.1", True)),
        (entry("Faster disks", tag_name="v2.0.0"), EntryRelease("2.0.0", False)),
        (entry("Version 2.0.0", tag_name="nightly"), EntryRelease("2.0.0", False)),
        (entry("Faster disks", tag_name="v2.0.0", prerelease=True), EntryRelease("2.0.0", True)),
        (entry("Acme 1.2.3-acacia"), EntryRelease("1.2.3-acacia", None)),
        (entry("Faster disks"), EntryRelease(None, None)),
        (entry("Faster disks", tag_name="nightly", prerelease=True), EntryRelease(None, None)),
        (entry("New", tag_name="v2.0-rc1", prerelease=False), EntryRelease("2.0-rc1", False)),
        (entry("Faster disks", tag_name=7), EntryRelease(None, None)),
    ],
)
def test_an_entry_is_the_release_of_a_version(text, release):
    assert release_of(text) == release


def test_both_documents_say_the_version():
    for document in map(orjson.loads, both_documents(entry("Acme 1.3.0-rc.1"))):
        assert (document["version"], document["prerelease"]) == ("1.3.0-rc.1", True)


def test_a_longer_version_than_the_contract_has_room_for_is_unknown():
    assert release_of(entry("x", tag_name="1." * 60 + "1")) == EntryRelease(None, None)


def test_a_document_is_read_back_as_it_was():
    text = entry("Acme 1.2.3", tag_name="v1.2.3")

    assert entry_text(both_documents(text)[0]) == EntryText(
        **{name: getattr(text, name) for name in text.__slots__} | {"tags": ["cloud"]}
    )
