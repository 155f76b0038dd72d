"""The typed shapes are those of the contract as it is now."""

import os
import shutil
import sys
from pathlib import Path

import pytest

import openapi
from openapi import shapes
from openapi.generation import GeneratorFailed, GeneratorMissing, generated_shapes

PACKAGE = Path(openapi.__file__).parent


@pytest.fixture
def package(tmp_path):
    """A copy of what the shapes are made of."""
    for name in ("openapi.yaml", "shapes.header"):
        shutil.copy(PACKAGE / name, tmp_path)
    return tmp_path


def test_the_shapes_are_fresh():
    expected = generated_shapes(PACKAGE, os.environ)

    assert Path(shapes.__file__).read_text() == expected, "Run changewire contract update."


def test_another_contract_has_other_shapes(package):
    contract = package / "openapi.yaml"
    contract.write_text(contract.read_text().replace("    EntryPage:", "    PageOfEntries:"))
    contract.write_text(contract.read_text().replace("/EntryPage'", "/PageOfEntries'"))

    assert "class PageOfEntries(TypedDict):" in generated_shapes(package, os.environ)


def test_what_cannot_be_read_is_told(package):
    (package / "openapi.yaml").write_text("paths: [")

    with pytest.raises(GeneratorFailed, match=r"openapi\.yaml"):
        generated_shapes(package, os.environ)


def test_a_missing_formatter_is_told(package, monkeypatch):
    monkeypatch.setattr(sys, "executable", str(package / "python"))

    with pytest.raises(GeneratorMissing, match="ruff"):
        generated_shapes(package, {"PATH": str(package)})
