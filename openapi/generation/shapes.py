"""Generate ``openapi/shapes.py``: the schemas of the contract as types."""

import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from openapi.generation.errors import GeneratorFailed, GeneratorMissing
from openapi.generation.formatter import programs_path, ruff

GENERATOR = "datamodel_code_generator"
LONGEST_SECONDS = 120


def generated_shapes(package: Path, environment: Mapping[str, str]) -> str:
    """Return the text of ``shapes.py`` for the contract in the folder ``package``.

    Runs the command of ``shapes.header`` in ``environment``. Nothing in the folder is changed.
    """
    if find_spec(GENERATOR) is None:
        raise GeneratorMissing("Shapes need datamodel-code-generator: pip install -e '.[test]'")
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
