"""Wheel and sdist: each installs into a clean environment, by the lock file, and runs."""

import json
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from specimen.serving import free_port, listening


@pytest.fixture(scope="module")
def built(root, run, tmp_path_factory):
    """The folder with both packages."""
    folder = tmp_path_factory.mktemp("built")
    status, told = run(sys.executable, "-m", "build", "--outdir", folder, root)
    assert status == 0, told[-3000:]
    return folder


@pytest.fixture(scope="module")
def environment(root, run, tmp_path_factory):
    """A clean environment with what the lock file names, every file by its hash."""
    folder = tmp_path_factory.mktemp("installed")
    assert run(sys.executable, "-m", "venv", folder)[0] == 0
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet"]
    status, told = run(*pip, "--require-hashes", "-r", root / "requirements.lock")
    assert status == 0, told[-3000:]
    return folder


@pytest.fixture(scope="module", params=["*.whl", "*.tar.gz"])
def program(request, built, environment, run):
    """The command of a package, installed."""
    (package,) = built.glob(request.param)
    pip = [environment / "bin" / "python", "-m", "pip"]
    run(*pip, "uninstall", "--yes", "--quiet", "changewire")
    status, told = run(*pip, "install", "--quiet", "--no-deps", package)
    assert status == 0, told[-3000:]
    return environment / "bin" / "changewire"


def test_what_is_installed_fits_together(program, run):
    assert run(program.with_name("python"), "-m", "pip", "check")[0] == 0


def test_it_serves_from_a_folder_that_is_not_the_checkout(program, tmp_path):
    port = free_port()
    settings = {"CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db"}
    command = [str(program), "up", "--no-ingest", "--port", str(port)]
    with (
        listening(command, port, "/healthz", tmp_path / "service.log", settings) as url,
        urllib.request.urlopen(f"{url}/api/v1/sources") as response,
    ):
        sources = json.load(response)

    assert sources["total"] > 5000


def test_a_bill_of_materials_names_everything(environment, built, run, root, tmp_path):
    bill = tmp_path / "sbom.cdx.json"
    status, told = run(
        "cyclonedx-py", "environment", "--output-reproducible", "-o", bill, environment
    )
    assert status == 0, told
    named = {component["name"].lower() for component in json.loads(bill.read_text())["components"]}

    assert {"connexion", "sqlalchemy", "feedparser"} <= named


def locked(root: Path) -> dict[str, str]:
    lines = (root / "requirements.lock").read_text().splitlines()
    pins = [line.split()[0].partition("==") for line in lines if "==" in line.split(" ")[0]]
    return {name: version.rstrip(";") for name, _, version in pins}


def test_the_lock_file_holds_every_dependency_at_its_floor_or_above(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pins = locked(root)
    wanted = [Requirement(text) for text in project["dependencies"]]

    assert [str(each) for each in wanted if pins.get(each.name) not in each.specifier] == []


def test_every_file_of_the_lock_has_a_hash(root):
    text = (root / "requirements.lock").read_text()
    pins = [line for line in text.splitlines() if "==" in line and not line.startswith((" ", "#"))]

    assert all(line.endswith("\\") for line in pins)
