"""Documents that people reported to other readers give the entries their vendors meant.

A folder of ``public_reports`` holds a document and ``expect.json``: the report, the fault, and
the fields of each entry; ``title_has``, ``text``, ``texts`` and ``link`` are contained in theirs.
"""

import html
import json
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from changelog_reader.adapters.base import ParsedEntry
from changelog_reader.adapters.registry import ADAPTERS
from changelog_reader.vocabulary import AdapterType

DATA = Path(__file__).parent / "public_reports"
HOST = "http://vendor.example"
TYPES = {"json": "application/json", "md": "text/markdown", "txt": "text/plain"}


def entries_of(folder: Path, case: dict[str, Any]) -> list[ParsedEntry]:
    path = case["path"]
    body = (folder / case["files"][path]).read_bytes()
    is_page = b"<!doctype html" in body[:200].lower()
    stated = TYPES.get(path.rpartition(".")[2], "text/html" if is_page else "application/xml")
    adapter = ADAPTERS[AdapterType(case["adapter"])]
    document = adapter(
        body, address=HOST + path, content_type=case.get("content_type", f"{stated}; charset=utf-8")
    )
    return list(document.entries)


def squeezed(text: str | None) -> str:
    return " ".join((text or "").split())


def differences(entry: ParsedEntry, wanted: dict[str, Any]) -> list[str]:
    """Return the names of the fields in which an entry is not as it should be."""
    title = entry.title.replace("\u00ad", "") if wanted.get("shy") else entry.title
    moment = entry.published_at and entry.published_at.strftime("%Y-%m-%dT%H:%M:%SZ")
    markup = entry.html or ""
    text = f"{squeezed(entry.summary)} {squeezed(html.unescape(re.sub('<[^>]+>', '', markup)))}"
    contained = [wanted.get("text") or "", *wanted.get("texts", [])]
    urls = [wanted.get("url", entry.url), *wanted.get("url_or", [])]
    dates = [wanted.get("published_at") or moment, *wanted.get("published_or", [])]
    checks = {
        "title": title == (wanted.get("title") or title),
        "title_has": (wanted.get("title_has") or "") in title,
        "url": "*" in urls or entry.url in urls,
        "published_at": moment in dates,
        "text": all(squeezed(part) in f"{text} {title}" for part in contained),
        "not_texts": not any(squeezed(part) in text for part in wanted.get("not_texts", [])),
        "link": (wanted.get("link") or "") in markup,
        "title_or_text": (wanted.get("title_or_text") or "") in title + text,
    }
    return [name for name, holds in checks.items() if not holds]


def distance(entry: ParsedEntry, wanted: dict[str, Any]) -> int:
    return len(differences(entry, wanted))


@pytest.mark.parametrize("name", sorted(path.name for path in DATA.iterdir()))
def test_a_reported_document_gives_the_entries_that_its_vendor_meant(name):
    case = json.loads((DATA / name / "expect.json").read_text(encoding="utf-8"))
    left = entries_of(DATA / name, case)

    wrong = []
    for wanted in case["entries"]:
        nearest = min(left, key=partial(distance, wanted=wanted), default=None)
        if nearest is None:
            wrong.append(("missing", wanted))
            continue
        left.remove(nearest)
        wrong += [(field, nearest, wanted) for field in differences(nearest, wanted)]

    assert not wrong
    assert not left
