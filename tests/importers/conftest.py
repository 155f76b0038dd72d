"""The importers of other people's programs, installed with npm."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
TOOLS = "CHANGEWIRE_IMPORTERS"
"""Names the folder that importers are kept in; without it they are installed each time."""
collect_ignore_glob = [] if TOOLS in os.environ else ["test_*.py"]
"""Slow, and they install what they need: only asked for by name or by that variable."""
OFFLINE = ("EAI_AGAIN", "ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT")
"""What npm says where it cannot reach its registry."""
LONGEST = 300
"""Seconds that any of the programs may take."""


@pytest.fixture(scope="session")
def importers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs, installed if they are not there yet."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("Node.js 20 or newer with npm is needed to import the contract")
    folder = Path(os.environ.get(TOOLS) or tmp_path_factory.mktemp("importers"))
    wanted, installed = (HERE / "package.json").read_text(), folder / "package.json"
    if not installed.exists() or installed.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = [f"{name}@{at}" for name, at in json.loads(wanted)["dependencies"].items()]
        quick = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1"]
        done = subprocess.run(
            [npm, "install", *quick, "--prefix", folder, *names],
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        if any(each in done.stderr for each in OFFLINE) and not os.environ.get("CI"):
            pytest.skip("npm cannot reach its registry, so that the importers cannot be installed")
        assert done.returncode == 0, f"npm could not install the importers:\n{done.stderr}"
        installed.write_text(wanted)  # last: half an installation is made again
    return folder


@pytest.fixture(scope="session")
def call(importers: Path) -> Callable[..., None]:
    """Run a program to its end: ``call("bru", "import", …)``. It has to succeed."""

    def call(name: str, *arguments: object) -> None:
        done = subprocess.run(
            [str(importers / "node_modules" / ".bin" / name), *map(str, arguments)],
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

    return call


@pytest.fixture(scope="session")
def contract() -> Path:
    """The contract, as people download it."""
    return CONTRACT
