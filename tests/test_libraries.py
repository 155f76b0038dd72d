"""The libraries stand alone: their wheels hold one package, which runs what a README shows."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

LIBRARIES = Path(__file__).parents[1] / "libraries"
PRINTED = {
    "changelog_reader": "The v1 API will be removed breaking deprecation 2027-03-01",
    "contract_diff": "BREAKING The query parameter limit has the maximum 50 instead of 100.",
    "package_versions": "pkg:pypi/flask@3.1.0",
}


@pytest.mark.parametrize("name", PRINTED)
def test_a_library_builds_alone_and_its_example_runs_on_the_wheel(name, tmp_path):
    pytest.importorskip("hatchling", reason="hatchling builds it; it is not among what tests need")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=LIBRARIES / name,
        check=True,
        capture_output=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as archive:
        files = [file for file in archive.namelist() if ".dist-info/" not in file]
        archive.extractall(tmp_path / "site")

    _, shown, _ = re.split(r"```(?:python)?\n", (LIBRARIES / name / "README.md").read_text())
    done = subprocess.run(
        [sys.executable, "-P", "-c", shown],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        check=True,
    )

    assert {file.partition("/")[0] for file in files} == {name}
    assert f"{name}/py.typed" in files
    assert not [file for file in files if "/tests/" in file]
    assert PRINTED[name] in done.stdout
