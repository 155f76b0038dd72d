"""The generated files are those of the contract as it is now."""

import os
from pathlib import Path

import pytest

import openapi
from contract_diff.parse import parse_contract
from openapi.contract import contract_text, load_contract
from openapi.generation.files import generated_files
from openapi.generation.queries import generated_queries
from openapi.generation.types import GeneratorFailed

ROOT = Path(openapi.__file__).parents[1]


def test_the_generated_files_are_fresh():
    for name, text in generated_files(ROOT, parse_contract(contract_text()), os.environ):
        assert (ROOT / name).read_text() == text, f"{name}: run changewire contract update."


def test_a_type_that_no_query_has_is_refused_by_name():
    contract = load_contract()
    contract["paths"]["/latest"]["get"]["parameters"].append(
        {"name": "deep", "in": "query", "schema": {"type": "object"}}
    )

    with pytest.raises(GeneratorFailed, match="deep: a query cannot have a parameter of type"):
        generated_queries(contract)
