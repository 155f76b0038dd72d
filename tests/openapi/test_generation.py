"""The generated files are those of the contract as it is now."""

import os
import shutil
from pathlib import Path

import pytest

import openapi
from openapi.contract import load_contract
from openapi.generation.files import generated_files, generated_shapes
from openapi.generation.queries import generated_queries
from openapi.generation.types import GeneratorFailed

ROOT = Path(openapi.__file__).parents[1]
KIND = {
    "name": "reason",
    "in": "query",
    "description": "Only entries of sources of these kinds.",
    "style": "form",
    "explode": False,
    "schema": {"type": "array", "items": {"$ref": "#/components/schemas/Category"}},
    "example": ["release_notes"],
}


@pytest.fixture
def package(tmp_path):
    """A copy of what the shapes are made of."""
    for name in ("openapi.yaml", "shapes.header"):
        shutil.copy(ROOT / "openapi" / name, tmp_path)
    return tmp_path


@pytest.fixture
def contract():
    """The contract with an array of enumerated words at /entries and /changes."""
    contract = load_contract()
    for path in ("/entries", "/changes"):
        contract["paths"][path]["get"]["parameters"].append(KIND)
    return contract


def test_the_generated_files_are_fresh():
    for name, text in generated_files(ROOT, load_contract(), os.environ):
        assert (ROOT / name).read_text() == text, f"{name}: run changewire contract update."


def test_another_contract_has_other_shapes(package):
    contract = package / "openapi.yaml"
    contract.write_text(contract.read_text().replace("    EntryPage:", "    PageOfEntries:"))
    contract.write_text(contract.read_text().replace("/EntryPage'", "/PageOfEntries'"))

    assert "class PageOfEntries(TypedDict):" in generated_shapes(package, os.environ)


def test_a_contract_that_cannot_be_read_is_reported(package):
    (package / "openapi.yaml").write_text("paths: [")

    with pytest.raises(GeneratorFailed, match=r"openapi\.yaml"):
        generated_shapes(package, os.environ)


def test_a_new_parameter_is_a_field_of_its_query_object(contract):
    text = generated_queries(contract)

    assert "    reason: tuple[Category, ...] | None = None\n" in text
    read = '"category": tuple_of(Category), "reason": tuple_of(Category)}'
    assert read in " ".join(text.split())


def test_a_type_that_no_query_has_is_refused_by_name(contract):
    contract["paths"]["/latest"]["get"]["parameters"].append(
        {"name": "deep", "in": "query", "schema": {"type": "object"}}
    )

    with pytest.raises(GeneratorFailed, match="deep: a query cannot have a parameter of type"):
        generated_queries(contract)
