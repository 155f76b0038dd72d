"""The importers of other people's programs, installed with npm."""

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from specimen.node import node_programs

HERE = Path(__file__).parent
CONTRACT = HERE.parents[1] / "openapi" / "openapi.yaml"
TOOLS = "CHANGEWIRE_IMPORTERS"
"""Names the folder that importers are kept in; without it they are installed each time."""
collect_ignore_glob = [] if TOOLS in os.environ else ["test_*.py"]
"""Slow, and they install what they need: only asked for by name or by that variable."""
LONGEST = 300
"""Seconds that any of the programs may take."""


@pytest.fixture(scope="session")
def importers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the programs, installed if they are not there yet."""
    folder = Path(os.environ.get(TOOLS) or tmp_path_factory.mktemp("importers"))
    return node_programs(HERE / "package.json", folder)


@pytest.fixture(scope="session")
def call(importers: Path) -> Callable[..., None]:
    """Run a program to its end: ``call("bru", "import", …)``. It has to succeed."""

    def call(name: str, *arguments: object) -> None:
        done = subprocess.run(
            [str(importers / name), *map(str, arguments)],
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
