"""Programs of a server's own that these tests try the files of deploy/ with."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin"


@pytest.fixture(scope="session")
def root():
    """The checkout."""
    return ROOT


@pytest.fixture(scope="session")
def program():
    """Find a program of the machine: ``program("nginx", "nginx")``, by its Debian package."""

    def program(name, package):
        found = shutil.which(name, path=PLACES)
        if found is None and os.environ.get("CI"):
            pytest.fail(f"{name} is missing: apt-get install {package}")
        if found is None:
            pytest.skip(f"{name} is not on this machine: apt-get install {package}")
        return found

    return program


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
