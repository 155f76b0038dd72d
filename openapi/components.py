"""Checks of single schemas of the contract, for what is stored before it is served.

The validator of ``openapi.validation`` compiles every operation; storing entries needs two schemas.
"""

from functools import cache

from jsonschema_rs import Draft202012Validator

from openapi.schemas import compiled
from openapi.strictness import strict_contract
from openapi.violations import Violation, violations_of
from openapi.vocabulary import Json


def component_violations(name: str, value: Json) -> tuple[Violation, ...]:
    """Return what is wrong with a value that should be of the component schema ``name``."""
    schema = _component(name)
    if schema.is_valid(value):
        return ()
    return violations_of(schema.iter_errors(value), root_name=name)


@cache
def _component(name: str) -> Draft202012Validator:
    return compiled({"$ref": f"#/components/schemas/{name}"}, strict_contract())
