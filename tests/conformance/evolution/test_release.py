"""What the newest tag of a history promises."""

import subprocess
from copy import deepcopy
from datetime import date

import pytest
import yaml

from conformance.evolution.release import NoHistory, broken_promises, last_release

TODAY = date(2026, 11, 21)
OLD = {
    "openapi": "3.0.3",
    "info": {"title": "Books", "version": "1.4.0"},
    "paths": {"/books": {"get": {"responses": {"200": {"description": "Books."}}}}},
}


@pytest.fixture
def git(tmp_path):
    """Run git in an empty repository."""

    def git(*arguments):
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@acme.example")
        command = ["git", "-C", str(tmp_path), *identity, *arguments]
        subprocess.run(command, check=True, capture_output=True, timeout=60)

    git("init", "--quiet")
    return git


@pytest.fixture
def release(git, tmp_path):
    """Commit a contract of some version, and tag the commit if asked to."""

    def release(version, *, tag=None):
        contract = deepcopy(OLD)
        contract["info"]["version"] = version
        file = tmp_path / "openapi" / "openapi.yaml"
        file.parent.mkdir(exist_ok=True)
        file.write_text(yaml.safe_dump(contract))
        git("add", ".")
        git("commit", "--quiet", "--message", f"Version {version}")
        if tag is not None:
            git("tag", tag)

    return release


def test_a_history_without_tags_has_no_release(tmp_path, release):
    release("1.0.0")

    assert last_release(tmp_path) is None


def test_the_highest_version_is_the_last_release(tmp_path, release):
    for version in ("1.2.0", "1.10.0", "1.9.0"):
        release(version, tag=f"v{version}")
    release("1.11.0")

    found = last_release(tmp_path)

    assert (found.tag, found.contract["info"]["version"]) == ("v1.10.0", "1.10.0")


def test_tags_that_are_no_versions_do_not_count(tmp_path, release):
    release("1.0.0", tag="1.0.0")
    release("1.1.0", tag="nightly")
    release("1.2.0", tag="v1.2.0-rc.1")
    release("1.3.0", tag="2026.11-backup")

    assert last_release(tmp_path).tag == "1.0.0"


def test_versions_count_however_they_are_spelled(tmp_path, release):
    release("1.9.0", tag="v1.9.0")
    release("1.10.0", tag="1.10.0")

    assert last_release(tmp_path).tag == "1.10.0"


def test_tags_from_before_there_was_a_contract_do_not_count(tmp_path, git, release):
    git("commit", "--quiet", "--allow-empty", "--message", "Begin")
    git("tag", "v9.0.0")
    release("1.0.0", tag="v1.0.0")

    assert last_release(tmp_path).tag == "v1.0.0"


def test_tags_of_other_branches_do_not_count(tmp_path, git, release):
    release("1.0.0", tag="v1.0.0")
    git("checkout", "--quiet", "-b", "next")
    release("2.0.0", tag="v2.0.0")
    git("checkout", "--quiet", "-")

    assert last_release(tmp_path).tag == "v1.0.0"


def test_a_folder_without_history_is_told(tmp_path):
    with pytest.raises(NoHistory, match="not a git repository"):
        last_release(tmp_path)


def test_a_history_that_is_cut_off_is_told(tmp_path, release):
    release("1.0.0", tag="v1.0.0")
    release("1.1.0")
    copy = tmp_path / "copy"
    command = ["git", "clone", "--quiet", "--depth=1", "--no-tags", tmp_path.as_uri(), str(copy)]
    subprocess.run(command, check=True, capture_output=True, timeout=60)

    with pytest.raises(NoHistory, match="cut off"):
        last_release(copy)


def test_what_breaks_is_refused_until_the_major_version_rises(tmp_path, release):
    release("1.4.0", tag="v1.4.0")
    found, new = last_release(tmp_path), deepcopy(OLD)
    new["paths"] = {"/volumes": new["paths"]["/books"]}

    broken = [broken_promise.kind for broken_promise in broken_promises(found, new, today=TODAY)]
    assert broken == ["operation-removed-without-deprecation"]
    new["info"]["version"] = "2.0.0"
    assert broken_promises(found, new, today=TODAY) == []


def test_what_only_adds_breaks_nothing(tmp_path, release):
    release("1.4.0", tag="v1.4.0")
    new = deepcopy(OLD)
    new["paths"]["/volumes"] = new["paths"]["/books"]

    assert broken_promises(last_release(tmp_path), new, today=TODAY) == []
