"""References to decisions, documents and files name something that exists."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DECISIONS = ROOT / "docs" / "decisions"
NUMBERS = {page.name[:4] for page in DECISIONS.glob("*.md")}
SUFFIXES = {".py", ".md", ".html", ".yaml", ".toml", ".sh", ".js", ".ts", ".css", ".ini", ""}
SKIPPED = {"__pycache__", "node_modules", "build", "dist"}
_NAME = "docs" + "/decisions"  # in two parts, so that this page has no reference without a number
_REFERENCE = re.compile(_NAME + r"(?:/(\d{4}))?")
_FOLDER = re.compile(r"[`\])\"'/]|\s+(?:says? why|and its)\b|$")
_NUMBER = re.compile(r"\(0\d{3}\)|\bdecision \d+\b")


def _texts(folder: Path = ROOT) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name.startswith(".") or path.name in SKIPPED or path.name.endswith(".egg-info"):
            continue
        if path.is_dir():
            yield from _texts(path)
        elif path.suffix in SUFFIXES and path.stat().st_size < 1_000_000:
            yield path


def _unresolved(text: str) -> list[str]:
    return [
        text[match.start() : match.end() + 40].splitlines()[0]
        for match in _REFERENCE.finditer(text)
        if (match[1] not in NUMBERS if match[1] else not _FOLDER.match(text, match.end()))
    ]


def test_every_reference_to_a_decision_names_a_page():
    unresolved = {
        str(path.relative_to(ROOT)): names
        for path in _texts()
        if path != Path(__file__)
        and (names := _unresolved(path.read_text(encoding="utf-8", errors="replace")))
    }

    assert unresolved == {}


def test_no_two_decisions_have_one_number():
    assert len(NUMBERS) == len(list(DECISIONS.glob("*.md")))


NAMED_PATH = re.compile(
    r"(?<![\w/.-])((?:openapi|storage|outbound|ingest|delivery|handlers|client|service"
    r"|conformance|tests|bench|deploy)/[\w./-]*\w/?)"
)
DOCUMENTS = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "docs/guide").glob("*.md")]
CURRENT = [page for page in DECISIONS.glob("*.md") if "\nSuperseded by" not in page.read_text()]


@pytest.mark.parametrize("page", [*DOCUMENTS, *CURRENT], ids=lambda page: page.name)
def test_files_named_in_documents_exist(page: Path):
    named = NAMED_PATH.findall(page.read_text(encoding="utf-8"))

    assert [path for path in named if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("page", sorted(DECISIONS.glob("*.md")), ids=lambda page: page.stem)
def test_a_decision_has_its_date_and_names_others_that_exist(page: Path):
    text = page.read_text(encoding="utf-8")
    named = {match.strip("()").rpartition(" ")[2].zfill(4) for match in _NUMBER.findall(text)}
    lines = text.splitlines()

    assert named <= NUMBERS
    for line in lines:
        if line.startswith("Superseded"):
            assert set(re.findall(r"\b0\d{3}\b", line)) & NUMBERS
    assert re.fullmatch(r"2026-\d\d-\d\d", lines[2])


def _prose(page: Path) -> str:
    return re.sub(r"(?ms)^```.*?^```", "", page.read_text(encoding="utf-8"))


def _anchors(page: Path) -> set[str]:
    headings = (
        re.sub(r"[^\w\- ]", "", each.lower()) for each in re.findall("#+ (.*)", _prose(page))
    )
    return {each.replace(" ", "-") for each in headings} | set(
        re.findall('id="(.+)"', _prose(page))
    )


@pytest.mark.parametrize("page", [*DOCUMENTS, *CURRENT], ids=lambda page: page.name)
def test_links_between_documents_lead_to_a_file_and_a_heading(page: Path):
    for name, anchor in re.findall(r"\]\((?!https?:)([^#)]*)#?([^)]*)", _prose(page)):
        target = page.parent / name if name else page
        assert target.exists(), name
        assert not anchor or anchor in _anchors(target), (name, anchor)


def test_every_path_that_tox_names_is_there():
    paths = re.findall(r"\b(?:tests|bench)/[\w/.]+", (ROOT / "tox.ini").read_text("utf-8"))

    assert len(paths) > 10
    assert [path for path in paths if not (ROOT / path).exists()] == []
