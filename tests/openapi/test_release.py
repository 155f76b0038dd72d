"""What released contracts promise."""

import re
from copy import deepcopy
from datetime import date
from hashlib import sha256
from pathlib import Path

import pytest
import yaml

from contract_diff.parse import parse_contract
from openapi.release import UnreadableRelease, broken_promises, last_release

OLD = {
    "openapi": "3.0.3",
    "info": {"title": "Books", "version": "1.4.0"},
    "paths": {"/books": {"get": {"responses": {"200": {"description": "Books."}}}}},
}
ROOT = Path(__file__).parents[2]
DIGESTS = {"1.0.0.yaml": "9359d846f707149126062d651e51883f01b399c75210c1c7b95e59be53b6f081"}


@pytest.fixture
def release(tmp_path):
    """Write a released contract under a name: ``release(name, version)``."""
    folder = tmp_path / "openapi" / "released"
    folder.mkdir(parents=True)

    def release(name, version=None):
        text = yaml.safe_dump(later(version or name)) if version != "none" else "paths: ["
        (folder / f"{name}.yaml").write_text(text)
        with (folder / "SHA256SUMS").open("a") as digests:
            digests.write(f"{sha256(text.encode()).hexdigest()}  {name}.yaml\n")
        return folder / f"{name}.yaml"

    return release


def later(version, *paths):
    """A contract of a version, with other paths than the released one if some are given."""
    contract = deepcopy(OLD)
    contract["info"]["version"] = version
    contract["paths"] = dict.fromkeys(paths or ["/books"], OLD["paths"]["/books"])
    return contract


def test_before_the_first_release_nothing_is_promised(tmp_path):
    assert last_release(tmp_path) is None
    assert broken_promises(None, later("1.0.0"), today=date(2026, 11, 21)) == []


def test_the_highest_version_is_the_last_release(tmp_path, release):
    for version in ("1.2.0", "1.10.0", "1.9.0"):
        release(version)

    assert last_release(tmp_path)["info"]["version"] == "1.10.0"


@pytest.mark.parametrize(
    ("name", "version", "message"),
    [
        ("1.5.0", "1.4.0", "it has the version 1.4.0"),
        ("draft", "1.4.0", "no version such as 1.2.0.yaml"),
        ("1.5.0", "none", r"1\.5\.0\.yaml: This is not YAML"),
    ],
)
def test_a_file_that_is_no_release_is_refused_by_name(tmp_path, release, name, version, message):
    release(name, version)

    with pytest.raises(UnreadableRelease, match=message):
        last_release(tmp_path)


@pytest.mark.parametrize(
    ("edited", "message"),
    [
        ("1.2.0.yaml", "Released contracts are never edited: git checkout openapi/released/1.2.0"),
        ("SHA256SUMS", "openapi/released/1.2.0.yaml is not in SHA256SUMS: add it (docs/releasing"),
    ],
)
def test_a_release_without_its_digest_is_refused(tmp_path, release, edited, message):
    file = release("1.2.0").with_name(edited)
    release("1.3.0")
    file.write_text(file.read_text().replace("Books", "Volumes").replace("1.2.0.yaml", "Books"))

    with pytest.raises(UnreadableRelease, match=re.escape(message)):
        last_release(tmp_path)


def test_released_contracts_stay_as_they_were_released():
    released = (ROOT / "openapi/released").glob("*.yaml")
    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in released}
    assert found == DIGESTS


def test_the_contract_keeps_what_is_released():
    contract = parse_contract((ROOT / "openapi/openapi.yaml").read_bytes())

    assert broken_promises(last_release(ROOT), contract, today=date(2026, 11, 29)) == []


TO_MINOR = "1.4.0 is released. {} set info.version to 1.5.0"
GONE = "The operation GET /books was removed without having been deprecated. Undo this,"
BREAKS = f"breaks what 1.4.0 promised, GET /books: {GONE} or start 2.0.0"
NEEDED = "The query parameter q is new and required. Make it optional,"
ASKS = later("1.5.0")
Q = {"name": "q", "in": "query", "required": True, "schema": {}}
ASKS["paths"]["/books"] = {"get": OLD["paths"]["/books"]["get"] | {"parameters": [Q]}}


@pytest.mark.parametrize(
    ("contract", "faults"),
    [
        (later("1.4.0"), []),
        (later("1.5.0", "/books", "/volumes"), []),
        (later("2.0.0", "/volumes"), []),
        (later("1.5.0", "/volumes"), [BREAKS]),
        (later("1.4.0", "/volumes"), [BREAKS, TO_MINOR.format("Once nothing breaks,")]),
        (ASKS, [f"breaks what 1.4.0 promised, GET /books › query q: {NEEDED} or start 2.0.0"]),
        (later("1.4.0", "/books", "/volumes"), [TO_MINOR.format("Nothing breaks, so")]),
        (later("1.3.9"), [TO_MINOR.format("Nothing breaks, so")]),
    ],
)
def test_a_contract_that_follows_a_release_keeps_its_promises(contract, faults):
    found = broken_promises(OLD, contract, today=date(2026, 11, 21))
    assert found == [f"{fault} (docs/contract.md, Releases)." for fault in faults]
