"""Other people's programs that are written for Node.js, kept outside of the checkout."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from specimen.programs import needed

OFFLINE = ("EAI_AGAIN", "ECONNREFUSED", "ENOTFOUND", "ETIMEDOUT")
"""What npm says where it cannot reach its registry."""
LONGEST = 300
"""Seconds that an installation may take."""
_QUICK = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1")


def node_programs(wanted: Path, folder: Path) -> Path:
    """The folder with the programs that a package.json names, put into `folder` if need be.

    Skips the test with a clear word where Node.js is missing or, outside of CI, npm is offline.
    """
    npm = needed("npm", "npm")
    needed("node", "nodejs")
    text, installed = wanted.read_text(encoding="utf-8"), folder / wanted.name
    if not installed.exists() or installed.read_text(encoding="utf-8") != text:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        names = [f"{name}@{at}" for name, at in json.loads(text)["dependencies"].items()]
        done = subprocess.run(
            [npm, "install", *_QUICK, "--prefix", folder, *names],
            timeout=LONGEST,
            capture_output=True,
            text=True,
        )
        if any(message in done.stderr for message in OFFLINE) and not os.environ.get("CI"):
            pytest.skip(f"npm cannot reach its registry to install what {wanted} names")
        assert done.returncode == 0, f"npm could not install {', '.join(names)}:\n{done.stderr}"
        installed.write_text(text, encoding="utf-8")  # last: half an installation is made again
    return folder / "node_modules" / ".bin"
