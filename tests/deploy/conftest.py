"""Programs of a server's own that these tests try the files of deploy/ with."""

import subprocess
import sys
from pathlib import Path

import pytest
from made_releases import Releases
from specimen.programs import needed

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root():
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def program():
    """Find a program of the machine: ``program("nginx", "nginx")``, by its Debian package."""
    return needed


@pytest.fixture(scope="session")
def run():
    """Run a command to its end: gives its exit status and all that it said."""

    def run(*command, **settings):
        ended = subprocess.run(
            [str(part) for part in command],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=300,
            **settings,
        )
        return ended.returncode, ended.stdout

    return run


@pytest.fixture(scope="session")
def environment(root, run, tmp_path_factory):
    """An environment with what the lock file names, every file by its hash."""
    folder = tmp_path_factory.mktemp("environment") / "installed"
    assert run(sys.executable, "-m", "venv", "--without-pip", folder)[0] == 0
    into = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--python", folder]
    status, told = run(*into, "--require-hashes", "-r", root / "requirements.lock")
    assert status == 0, told[-3000:]
    return folder


@pytest.fixture(scope="session")
def releases(program, tmp_path_factory):
    """This version and a made-up next one, built as releases are."""
    program("git", "git")
    return Releases(tmp_path_factory.mktemp("releases"))
