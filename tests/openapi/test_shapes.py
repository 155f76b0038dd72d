"""The typed shapes are those of the contract as it is now."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import openapi
from openapi import shapes

PACKAGE = Path(openapi.__file__).parent


def test_the_shapes_are_fresh(tmp_path):
    (command,) = re.findall(r"datamodel-codegen[^\"]*", shapes.__doc__ + '"')
    renewed = tmp_path / "openapi" / "shapes.py"
    renewed.parent.mkdir()
    (tmp_path / "ruff.toml").write_text("line-length = 100\n")
    for name in ("openapi.yaml", "shapes.header"):
        (renewed.parent / name).write_bytes((PACKAGE / name).read_bytes())

    arguments = shlex.split(command)[1:]
    subprocess.run(
        [sys.executable, "-m", "datamodel_code_generator", *arguments], cwd=tmp_path, check=True
    )

    expected = renewed.read_text()
    assert Path(shapes.__file__).read_text() == expected, "Run the command in openapi/shapes.py."
