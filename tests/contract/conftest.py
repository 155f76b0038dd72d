"""The tools of other people, and the specimen as a process of its own behind a loopback port."""

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from connexion_passages import observed_servers
from specimen.node import node_programs
from specimen.serving import serve
from specimen.site import make_site, the_time

HERE = Path(__file__).parent
TOOLS = "CHANGEWIRE_CONTRACT_TOOLS"
"""Names the folder that tools are kept in; without it they are installed each time."""
collect_ignore_glob = [] if TOOLS in os.environ else ["test_*.py"]
"""Slow, and they install what they need: only asked for by name or by that variable."""
LONGEST = 300
"""Seconds that any of the tools may take."""


@dataclass(frozen=True)
class Outcome:
    """What a tool said."""

    status: int
    out: str
    err: str


@pytest.fixture(scope="session")
def tools_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that tools are installed in."""
    return Path(os.environ.get(TOOLS) or tmp_path_factory.mktemp("tools"))


@pytest.fixture(scope="session")
def tools(tools_folder: Path) -> Path:
    """The folder of the programs of package.json, installed if they are not there yet."""
    return node_programs(HERE / "package.json", tools_folder / "node")


@pytest.fixture(scope="session")
def call(tools: Path) -> Callable[..., Outcome]:
    """Run a tool to its end: ``call("spectral", "lint", file)``."""

    def call(name: str, *arguments: object, folder: Path | None = None) -> Outcome:
        done = subprocess.run(
            [str(tools / name), *map(str, arguments)],
            cwd=folder,
            env={**os.environ, "NO_COLOR": "1", "REDOCLY_TELEMETRY": "off"},
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture
def seen() -> dict[str, Any]:
    """What every generated client sees of the running service, by the same calls."""
    return {
        "sample": [True, "This JSON", 5],
        "catalog": [3, "https://acme.example/compute"],
        "entries": [80, "Version 0 goes", "Version 0 goes", "Version 3 goes"],
        "since": [8, True],
        "latest": 100,
        "important": ["breaking"],
        "diffs": [3, "Version 2 goes", None],
        "changes": 80,
        "refused": [
            [400, "invalid_request"],
            [401, "unauthorized"],
            [402, "addon_required"],
            [403, "source_not_selected"],
        ],
    }


@dataclass(frozen=True)
class Live:
    """The running service: its address, and keys by what they may."""

    url: str
    keys: Mapping[str, str] = field(repr=False)


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    """The specimen as a process of its own."""
    folder = tmp_path_factory.mktemp("specimen")
    site = make_site(folder, now=the_time())
    with observed_servers(folder) as observed, serve(site.url, folder, observed) as url:
        yield Live(url, site.keys)
