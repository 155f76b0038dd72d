"""Checks of single schemas of the contract, for who writes what it describes.

The validator of ``openapi.validation`` compiles every operation; who stores entries needs two
schemas, and should not wait for the rest.
"""

from functools import cache
from threading import Lock
from typing import TYPE_CHECKING

from jsonschema_rs import Draft202012Validator

from openapi.contract import load_contract
from openapi.schemas import compiled
from openapi.vocabulary import Json

if TYPE_CHECKING:
    from openapi.violations import Violation

_building = Lock()


def component_violations(name: str, value: Json) -> "tuple[Violation, ...]":
    """Return what is wrong with a value that should be of the component schema ``name``."""
    with _building:  # threads that come together would otherwise each compile one
        schema = _component(name)
    if schema.is_valid(value):
        return ()
    from openapi.violations import violations_of  # words, once something is wrong

    return violations_of(schema.iter_errors(value), whole=name)


@cache
def _component(name: str) -> Draft202012Validator:
    return compiled({"$ref": f"#/components/schemas/{name}"}, load_contract())
