"""What released contracts promise."""

from copy import deepcopy
from datetime import date

import pytest
import yaml

from openapi.release import UnreadableRelease, broken_promises, last_release

OLD = {
    "openapi": "3.0.3",
    "info": {"title": "Books", "version": "1.4.0"},
    "paths": {"/books": {"get": {"responses": {"200": {"description": "Books."}}}}},
}


@pytest.fixture
def release(tmp_path):
    """Write a released contract under a name: ``release(name, version)``."""
    folder = tmp_path / "openapi" / "released"
    folder.mkdir(parents=True)

    def release(name, version=None):
        text = yaml.safe_dump(later(version or name))
        (folder / f"{name}.yaml").write_text(text if version != "none" else "paths: [")

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
