"""Generated requests: the service answers as its contract says, whatever it is asked."""

from typing import Any

import pytest
import schemathesis
from schemathesis.generation.case import Case

from conformance.fuzzing import ask, schemas

_SCHEMAS = schemas()
if not _SCHEMAS:
    pytest.skip("no generated requests were asked for", allow_module_level=True)


@schemathesis.pytest.parametrize(**_SCHEMAS)
@pytest.mark.origin("openapi.yaml")
def test_an_operation_answers_as_the_contract_says(case: Case[Any]) -> None:
    """The service answers as the contract says: status, media type, headers and body."""
    ask(case)
