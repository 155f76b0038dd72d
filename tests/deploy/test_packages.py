"""Wheel and sdist: each installs into a clean environment, by the lock file, and runs."""

import json
import sys
import tomllib
import urllib.request
from pathlib import Path

import pytest
from made_releases import build, copy_checkout
from packaging.requirements import Requirement
from specimen.serving import free_port, listening


@pytest.fixture(scope="module", params=["changewire-*.whl", "changewire-*.tar.gz"])
def changewire(request, releases, environment, run):
    """The command of a package, installed."""
    (package,) = releases.folder(releases.first).glob(request.param)
    into = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", environment]
    status, told = run(*into, "--no-deps", "--reinstall", package)
    assert status == 0, told[-3000:]
    return environment / "bin" / "changewire"


def test_it_serves_from_a_folder_that_is_not_the_checkout(changewire, tmp_path):
    port = free_port()
    settings = {"CHANGEWIRE_DATABASE_URL": f"sqlite:///{tmp_path}/changewire.db"}
    command = [str(changewire), "up", "--no-ingest", "--port", str(port)]
    with (
        listening(command, port, "/healthz", tmp_path / "service.log", settings) as url,
        urllib.request.urlopen(f"{url}/api/v1/sources") as response,
    ):
        sources = json.load(response)

    assert sources["total"] > 5000


def test_it_carries_the_files_of_a_deployment(changewire, root, run, tmp_path):
    nginx = (root / "deploy" / "nginx" / "changewire.conf").read_text()

    assert run(changewire, "deploy", "show", "nginx", cwd=tmp_path) == (0, nginx)


def test_a_second_build_has_the_same_bytes(releases, tmp_path):
    copy_checkout(tmp_path / "elsewhere")
    build(tmp_path / "elsewhere", tmp_path / "again")
    first = releases.folder(releases.first)

    assert len(list(first.iterdir())) == 2
    for file in first.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()


def locked(root: Path) -> dict[str, str]:
    lines = (root / "requirements.lock").read_text().splitlines()
    pins = [line.split()[0].partition("==") for line in lines if "==" in line.split(" ")[0]]
    return {name: version.rstrip(";") for name, _, version in pins}


def test_the_lock_file_holds_every_dependency_at_its_floor_or_above(root):
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    pins = locked(root)
    wanted = [Requirement(text) for text in project["dependencies"]]

    assert [str(each) for each in wanted if pins.get(each.name) not in each.specifier] == []
