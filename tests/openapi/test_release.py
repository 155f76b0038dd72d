"""What released contracts promise."""

from copy import deepcopy
from datetime import date

import pytest
import yaml

from openapi.release import UnreadableRelease, broken_promises, last_release

TODAY = date(2026, 11, 21)
OLD = {
    "openapi": "3.0.3",
    "info": {"title": "Books", "version": "1.4.0"},
    "paths": {"/books": {"get": {"responses": {"200": {"description": "Books."}}}}},
}


@pytest.fixture
def release(tmp_path):
    """Write a made-up released contract of some version."""

    def release(version, *, name=None):
        contract = deepcopy(OLD)
        contract["info"]["version"] = version
        folder = tmp_path / "openapi" / "released"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name or version}.yaml").write_text(yaml.safe_dump(contract))

    return release


def later(version, paths=("/books",)):
    """A contract that follows the released one."""
    contract = deepcopy(OLD)
    contract["info"]["version"] = version
    contract["paths"] = dict.fromkeys(paths, OLD["paths"]["/books"])
    return contract


def test_before_the_first_release_nothing_is_promised(tmp_path):
    assert last_release(tmp_path) is None
    assert broken_promises(last_release(tmp_path), later("1.0.0"), today=TODAY) == []


def test_the_highest_version_is_the_last_release(tmp_path, release):
    for version in ("1.2.0", "1.10.0", "1.9.0"):
        release(version)

    newest = last_release(tmp_path)

    assert newest["info"]["version"] == "1.10.0"


@pytest.mark.parametrize(
    ("name", "message"),
    [("1.5.0", "it has the version 1.4.0"), ("draft", "no version such as 1.2.0.yaml")],
)
def test_a_file_that_is_named_for_another_version_is_refused(tmp_path, release, name, message):
    release("1.4.0", name=name)

    with pytest.raises(UnreadableRelease, match=message):
        last_release(tmp_path)


def test_a_release_that_cannot_be_read_is_refused_by_name(tmp_path, release):
    release("1.4.0")
    (tmp_path / "openapi" / "released" / "1.5.0.yaml").write_text("paths: [")

    with pytest.raises(UnreadableRelease, match=r"1\.5\.0\.yaml: This is not YAML"):
        last_release(tmp_path)


@pytest.mark.parametrize(
    ("contract", "faults"),
    [
        (later("1.4.0"), []),
        (later("1.5.0", ("/books", "/volumes")), []),
        (later("2.0.0", ("/volumes",)), []),
        (
            later("1.5.0", ("/volumes",)),
            ["GET /books: The operation GET /books was removed without having been deprecated."],
        ),
        (
            later("1.4.0", ("/books", "/volumes")),
            ["info › version: it is 1.4.0; 1.4.0 is released, so raise it"],
        ),
        (later("1.3.9"), ["info › version: it is 1.3.9; 1.4.0 is released, so raise it"]),
    ],
    ids=["the same", "what adds", "another major", "what breaks", "the same version", "an older"],
)
def test_a_contract_that_follows_a_release_keeps_its_promises(tmp_path, release, contract, faults):
    release("1.4.0")

    assert broken_promises(last_release(tmp_path), contract, today=TODAY) == faults
