"""Real and hostile documents of other people, read against what an independent reader found.

The folder is named by CHANGEWIRE_CORPUS and is not part of this repository: it holds
``feeds/*/NAME.xml`` and ``github/NAME.json`` with ``NAME.expect.json`` beside them, and
``hostile/`` with one ``expect.json``. Where the expectation is at fault, the document stands
in feed_corpus_differences.json with the reason.
"""

import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from changelog_reader.adapters.base import ParsedDocument, UnreadableDocument
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.vocabulary import AdapterType
from ingest.fetching.outcomes import Fetched
from ingest.sandbox.parser_pool import ParserPool
from ingest.sandbox.parsing import MOST_ENTRIES, ParserCrash, ParserTimeout

NAMED = os.environ.get("CHANGEWIRE_CORPUS")
CORPUS = Path(NAMED) if NAMED else Path("no-corpus")
ADDRESS = "https://feeds.invalid/document?secret=1"
DIFFERENCES = json.loads(
    Path(__file__).with_name("feed_corpus_differences.json").read_text(encoding="utf-8")
)

pytestmark = pytest.mark.skipif(
    NAMED is None, reason="CHANGEWIRE_CORPUS names no folder with a corpus"
)


def recorded(pattern: str) -> list[Path]:
    """The documents that have an expectation beside them."""
    documents = []
    for expectation in sorted(CORPUS.glob(f"{pattern}.expect.json")):
        name = expectation.name.removesuffix(".expect.json")
        documents += [
            path
            for suffix in (".xml", ".json", ".atom")
            if (path := expectation.with_name(name + suffix)).exists()
        ]
    return documents


def expectation_of(document: Path) -> dict[str, Any]:
    beside = document.with_name(f"{document.stem}.expect.json")
    return json.loads(beside.read_text(encoding="utf-8"))


def read(document: Path, kind: AdapterType) -> ParsedDocument:
    return ADAPTERS[kind](document.read_bytes(), address=ADDRESS, content_type=None)


def name_of(document: Path) -> str:
    return document.relative_to(CORPUS).as_posix()


def wire(moment: Any) -> str | None:
    return None if moment is None else moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, part in value.items():
                yield key
                yield from texts(part)
        case list():
            for part in value:
                yield from texts(part)


def output_of(document: ParsedDocument) -> str:
    return "\n".join(
        text
        for entry in document.entries
        for text in (entry.title, entry.url, entry.summary, entry.html, *texts(dict(entry.raw)))
        if text
    )


@pytest.mark.parametrize("document", recorded("feeds/*/*"), ids=name_of)
def test_a_feed_says_what_the_independent_reader_found(document):
    if name_of(document) in DIFFERENCES:
        pytest.skip(DIFFERENCES[name_of(document)])
    expected = expectation_of(document)
    if not expected.get("count"):
        with suppress(UnreadableDocument):
            assert read(document, AdapterType.RSS).entries == ()
        return

    result = read(document, AdapterType.RSS)

    items = expected["items"]
    assert len(result.entries) == expected["count"]
    assert [
        (entry.vendor_id, entry.url, wire(entry.published_at))
        for entry in result.entries[: len(items)]
    ] == [(item["id"], item["url"], item["date_utc"]) for item in items]
    assert [
        entry.title
        for entry, item in zip(result.entries, items, strict=False)
        if item["title_text"] is not None
    ] == [item["title_text"] for item in items if item["title_text"] is not None]


@pytest.mark.parametrize(
    "document",
    [path for path in recorded("feeds/*/*") if expectation_of(path).get("count")],
    ids=name_of,
)
def test_a_feed_gives_no_address_of_its_own_away(document):
    head = document.read_bytes().decode("utf-8", "replace").partition("<item>")[0][:5_000]
    own = [ADDRESS, *re.findall(r'rel="self"[^>]*href="([^"]+)"', head)]
    own += re.findall(r'href="([^"]+)"[^>]*rel="self"', head)
    spelled = "|".join(re.escape(address.rstrip("/")) for address in own if "//" in address)
    disclosed = re.compile(rf"(?:{spelled})(?![\w/?&=%~+.-])")

    result = read(document, AdapterType.ATOM)

    raws = [text for entry in result.entries for text in texts(dict(entry.raw))]
    assert [text for text in raws if disclosed.search(text)] == []


@pytest.mark.parametrize("document", recorded("github/*"), ids=name_of)
def test_releases_are_what_the_independent_reader_found(document):
    expected = expectation_of(document)
    if expected["format"] == "single object":
        with pytest.raises(UnreadableDocument):
            read(document, AdapterType.GITHUB_RELEASES)
        return

    entries = read(document, AdapterType.GITHUB_RELEASES).entries

    if "releases" in expected:
        assert len(entries) == expected["count_published"]
        assert [
            (entry.vendor_id, entry.url, entry.title, wire(entry.published_at)) for entry in entries
        ] == [
            (
                None if release["id"] is None else str(release["id"]),
                release["html_url"],
                release["name"] or release["tag_name"],
                release["published_at"],
            )
            for release in expected["releases"]
        ]
    else:
        assert [(entry.vendor_id, entry.url, entry.title) for entry in entries] == [
            (item["id"], item["url"], item["title_text"]) for item in expected["items"]
        ]


def hostile() -> dict[str, dict[str, Any]]:
    listed = CORPUS / "hostile" / "expect.json"
    if not listed.exists():
        return {}
    documents: dict[str, dict[str, Any]] = json.loads(listed.read_text(encoding="utf-8"))
    return {name: expected for name, expected in documents.items() if not name.endswith(".html")}


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(workers=2) as shared:
        yield shared


@pytest.mark.parametrize(("name", "expected"), hostile().items(), ids=hostile())
def test_a_hostile_document_is_read_or_refused_and_harms_nobody(pool, name, expected):
    kind = AdapterType.GITHUB_RELEASES if "github" in name else AdapterType.RSS
    body = (CORPUS / "hostile" / name).read_bytes()
    try:
        document = pool.parse(kind, Fetched(body, None, ADDRESS))
    except (ParserCrash, ParserTimeout):
        raise
    except UnreadableDocument:
        document = ParsedDocument(entries=())

    output = output_of(document).lower()
    assert [bad for bad in expected.get("forbidden_in_output", ()) if bad in output] == []
    assert len(document.entries) == min(MOST_ENTRIES, expected.get("items", len(document.entries)))
    assert len(document.entries) >= expected.get("items_at_least", 0)
    if "complete_items_before_cut" in expected:
        assert len(document.entries) in {0, expected["complete_items_before_cut"]}
