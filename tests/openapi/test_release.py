"""What released contracts promise."""

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


def test_a_release_that_was_edited_is_refused(tmp_path, release):
    file = release("1.2.0")
    release("1.3.0")
    file.write_text(file.read_text().replace("Books", "Volumes"))

    with pytest.raises(UnreadableRelease, match=r"1\.2\.0\.yaml: SHA256SUMS has another digest"):
        last_release(tmp_path)


def test_released_contracts_stay_as_they_were_released():
    released = Path(__file__).parents[2] / "openapi/released"

    found = {file.name: sha256(file.read_bytes()).hexdigest() for file in released.glob("*.yaml")}
    assert found == DIGESTS


def test_the_contract_keeps_what_is_released():
    root = Path(__file__).parents[2]
    contract = parse_contract((root / "openapi/openapi.yaml").read_bytes())

    assert broken_promises(last_release(root), contract, today=date(2026, 11, 29)) == []


RAISE = "it is {}; 1.4.0 is released, so raise it"


@pytest.mark.parametrize(
    ("contract", "faults"),
    [
        (later("1.4.0"), []),
        (later("1.5.0", "/books", "/volumes"), []),
        (later("2.0.0", "/volumes"), []),
        (later("1.5.0", "/volumes"), ["GET /books: The operation GET /books was removed"]),
        (later("1.4.0", "/books", "/volumes"), [f"info › version: {RAISE.format('1.4.0')}"]),
        (later("1.3.9"), [f"info › version: {RAISE.format('1.3.9')}"]),
    ],
    ids=["the same", "what adds", "another major", "what breaks", "the same version", "an older"],
)
def test_a_contract_that_follows_a_release_keeps_its_promises(contract, faults):
    found = broken_promises(OLD, contract, today=date(2026, 11, 21))

    assert [fault.removesuffix(" without having been deprecated.") for fault in found] == faults
