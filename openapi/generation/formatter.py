"""Format generated Python with ruff."""

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from openapi.generation.errors import GeneratorFailed, GeneratorMissing

LONGEST_SECONDS = 60
STYLE = (
    "--isolated",
    "--target-version=py311",
    "--config=line-length=100",
    "--config=format.skip-magic-trailing-comma=true",
    "--config=lint.isort.split-on-trailing-comma=false",
    "--config=lint.isort.known-first-party=['client', 'openapi']",
)


def programs_path(environment: Mapping[str, str]) -> str:
    """Return the PATH of ``environment`` with the programs beside this Python first."""
    return os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])


def ruff(environment: Mapping[str, str]) -> str:
    """Return the path of ruff; raises GeneratorMissing."""
    program = shutil.which("ruff", path=programs_path(environment))
    if program is None:
        raise GeneratorMissing("The generated files need ruff: pip install -e '.[test]'")
    return program


def formatted(text: str, environment: Mapping[str, str]) -> str:
    """Return Python formatted as the project is, without unused imports."""
    lint = ["check", "--fix", "--quiet", "--select=F401,I001", *STYLE]
    for command in (lint, ["format", "--quiet", *STYLE]):
        done = subprocess.run(
            [ruff(environment), *command, "-"],
            input=text,
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        if done.returncode:
            raise GeneratorFailed(done.stderr.strip() or done.stdout.strip())
        text = done.stdout
    return text
