"""Programs and libraries that a test needs and that a machine may not have."""

import os
import shutil
from typing import NoReturn

import pytest

PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin"
"""Where programs are: servers' own are in a folder that users' paths leave out."""


def missing(what: str) -> NoReturn:
    """Skip the test because something is missing; fail it in CI, which has to have everything."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} CI has to have it.", pytrace=False)
    pytest.skip(what)


def needed(name: str, package: str) -> str:
    """The path of a program, or the test is skipped with the name of its Debian package."""
    return shutil.which(name, path=PLACES) or missing(
        f"{name} is not on this machine: apt-get install {package}."
    )
