"""Releases: what is written into the checkout, what is built, and how it is trusted."""

import json
import subprocess
from datetime import date
from pathlib import Path

import pytest
import yaml
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from made_releases import Repository

from release.checkout import dated, kept_contract, numbers_of, sections_of
from release.errors import NotReleasable
from release.provenance import check_subjects, read_statement, sign, write_statement

CHANGELOG = "# Changelog\n\n## 1.1.0 (unreleased)\n\n- More.\n\n## 1.0.0 (2026-11-30)\n\n- All.\n"
DAY = date(2026, 12, 24)


def test_the_version_that_is_begun_gets_the_day():
    after = sections_of(dated(CHANGELOG, "1.1.0", DAY))

    assert [(it.version, it.day, it.text) for it in after] == [
        ("1.1.0", "2026-12-24", "- More."),
        ("1.0.0", "2026-11-30", "- All."),
    ]


@pytest.mark.parametrize("version", ["1.0.0", "1.2.0"])
def test_another_version_than_the_one_that_is_begun_is_refused(version):
    with pytest.raises(NotReleasable, match=version):
        dated(CHANGELOG, version, DAY)


@pytest.mark.parametrize("version", ["1.0", "v1.0.0", "1.0.0rc1", "01.0.0", "1.0.0\n", "١.0.0"])
def test_a_version_has_three_numbers(version):
    with pytest.raises(NotReleasable, match="no version"):
        numbers_of(version)


def contract_of(version, title="Changewire"):
    return f"openapi: 3.0.3\ninfo:\n  title: {title}\n  version: {version}\n"


def test_a_contract_is_kept_under_its_own_version(tmp_path):
    assert kept_contract(tmp_path, contract_of("1.1.0")) == "openapi/released/1.1.0.yaml"


def test_an_unchanged_contract_keeps_its_file_and_a_changed_one_needs_a_version(tmp_path):
    folder = tmp_path / "openapi" / "released"
    folder.mkdir(parents=True)
    (folder / "1.0.0.yaml").write_text(contract_of("1.0.0"))

    assert kept_contract(tmp_path, contract_of("1.0.0")) == "openapi/released/1.0.0.yaml"
    with pytest.raises(NotReleasable, match=r"raise its info\.version"):
        kept_contract(tmp_path, contract_of("1.0.0", title="Other"))


def test_a_statement_is_trusted_by_the_key_that_signed_it_and_by_no_other(tmp_path):
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    file = tmp_path / "it.intoto.jsonl"
    write_statement({"subject": []}, file, key)

    assert read_statement(file, key.public_key()) == {"subject": []}
    with pytest.raises(NotReleasable, match="not signed with this key"):
        read_statement(file, other.public_key())


def test_an_envelope_with_another_payload_and_a_bare_statement_are_not_trusted(tmp_path):
    key = Ed25519PrivateKey.generate()
    file = tmp_path / "it.intoto.jsonl"
    for document in (sign(b"{}", key) | {"payload": "eyJhIjoxfQ=="}, {"subject": []}):
        file.write_text(json.dumps(document))
        with pytest.raises(NotReleasable, match="not signed with this key"):
            read_statement(file, key.public_key())


def test_a_statement_about_another_file_is_noticed(tmp_path):
    (tmp_path / "it.whl").write_text("other")

    with pytest.raises(NotReleasable, match=r"about another it\.whl"):
        check_subjects({"subject": [{"name": "it.whl", "digest": {"sha256": "0" * 64}}]}, tmp_path)


def files_of(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_two_builds_in_different_folders_are_the_same_bytes(releases, environment, tmp_path):
    made, again = Repository.clone(releases.repository.root, tmp_path / "elsewhere"), tmp_path / "b"
    made.git("checkout", "--quiet", f"v{releases.first}")
    status, told = made.release("build", "--out", str(again), "--environment", str(environment))

    assert status == 0, told
    assert files_of(again) == files_of(releases.folder(releases.first))


def test_a_release_has_all_that_its_notes_promise(releases):
    version, folder = releases.first, releases.folder(releases.first)
    name = f"changewire-{version}"

    assert set(files_of(folder)) == {
        f"{name}-py3-none-any.whl",
        f"{name}.tar.gz",
        f"changewire_client-{version}-py3-none-any.whl",
        f"{name}-requirements.lock",
        f"{name}-openapi.yaml",
        f"{name}-notes.md",
        f"{name}.cdx.json",
        f"{name}.intoto.json",
        "SHA256SUMS",
    }
    assert (folder / f"{name}-notes.md").read_text().startswith(f"# Changewire {version} (20")
    bill = json.loads((folder / f"{name}.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["version"] == version
    assert str(releases.repository.root) not in (folder / f"{name}.cdx.json").read_text()


def test_its_checksums_are_those_of_coreutils(releases):
    check = ["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"]

    assert subprocess.run(check, cwd=releases.folder(releases.first)).returncode == 0


def test_its_provenance_names_the_commit_and_every_file(releases):
    folder = releases.folder(releases.first)
    statement = json.loads((folder / f"changewire-{releases.first}.intoto.json").read_text())
    build = statement["predicate"]["buildDefinition"]
    commit = releases.repository.git("rev-parse", f"v{releases.first}").strip()

    assert statement["predicateType"] == "https://slsa.dev/provenance/v1"
    assert build["resolvedDependencies"][0]["digest"] == {"gitCommit": commit}
    named = {subject["name"] for subject in statement["subject"]}
    others = {"SHA256SUMS", f"changewire-{releases.first}.intoto.json"}
    assert named == set(files_of(folder)) - others


def test_what_is_signed_is_verified_and_one_changed_byte_is_noticed(releases, tmp_path, run):
    key = Ed25519PrivateKey.generate()
    (tmp_path / "key.pub").write_bytes(
        key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    )
    (tmp_path / "key.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    out = releases.build(releases.second, tmp_path / "out", "--key", str(tmp_path / "key.pem"))
    verify = ["verify", str(out), "--key", str(tmp_path / "key.pub")]
    assert releases.repository.release(*verify)[0] == 0

    notes = out / f"changewire-{releases.second}-notes.md"
    notes.write_text(notes.read_text() + "!")
    status, told = releases.repository.release(*verify)

    assert (status, told) == (1, f"release: Not the file that SHA256SUMS has: {notes.name}\n")


def test_what_is_not_prepared_or_not_committed_is_not_built(releases, tmp_path):
    made = Repository.clone(releases.repository.root, tmp_path / "elsewhere")
    made.begin("91.0.0", "Something.")
    status, told = made.release("build")
    assert (status, "is not prepared" in told) == (1, True)

    made.release("prepare", "91.0.0")
    status, told = made.release("build")

    assert (status, told) == (1, "release: Not as committed: M CHANGELOG.md\n")


def test_the_contract_of_a_release_is_kept(releases):
    kept = releases.repository.root / "openapi" / "released"
    versions = {yaml.safe_load(file.read_text())["info"]["version"] for file in kept.glob("*.yaml")}

    assert len(versions) >= 2
    assert versions == {file.stem for file in kept.glob("*.yaml")}
