"""Generate all files derived from the contract, formatted with ruff."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import orjson

from openapi.generation.queries import generated_queries
from openapi.generation.types import GeneratorFailed

GENERATOR = "datamodel_code_generator"
LONGEST_SECONDS = 120
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
    """Return the path of ruff; raises GeneratorFailed."""
    program = shutil.which("ruff", path=programs_path(environment))
    if program is None:
        raise GeneratorFailed("The generated files need ruff: see docs/contract.md")
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


def generated_shapes(package: Path, environment: Mapping[str, str]) -> str:
    """Return the text of ``shapes.py`` for the contract in the folder ``package``.

    Runs the command of ``shapes.header`` in ``environment``. Nothing in the folder is changed.
    """
    if find_spec(GENERATOR) is None:
        raise GeneratorFailed("Shapes need datamodel-code-generator: see docs/contract.md")
    ruff(environment)  # raises where it is missing: the format would differ
    header = (package / "shapes.header").read_text(encoding="utf-8")
    (command,) = re.findall(r"datamodel-codegen[^\"]*", header)
    with TemporaryDirectory() as folder:
        copy = Path(folder) / "openapi"
        copy.mkdir()
        (Path(folder) / "ruff.toml").write_text("line-length = 100\n")
        for name in ("openapi.yaml", "shapes.header"):
            (copy / name).write_bytes((package / name).read_bytes())
        done = subprocess.run(
            [sys.executable, "-m", GENERATOR, *shlex.split(command)[1:]],
            cwd=folder,
            env={**environment, "PATH": programs_path(environment)},
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        if done.returncode:
            raise GeneratorFailed(done.stderr.strip())
        return (copy / "shapes.py").read_text(encoding="utf-8")


def generated_files(
    root: Path, contract: Mapping[str, Any], environment: Mapping[str, str]
) -> Iterator[tuple[str, str]]:
    """Yield the path below ``root`` and the text of every generated file.

    Nothing in the checkout is changed. Raises GeneratorFailed.
    """
    yield "openapi/shapes.py", generated_shapes(root / "openapi", environment)
    yield "openapi/queries.py", formatted(generated_queries(contract), environment)
    yield "openapi/openapi.json", orjson.dumps(contract).decode()
