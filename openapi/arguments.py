"""What a request tells its operation: values of the contract's types, or why there are none."""

from typing import Any

from openapi.validation import ContractValidator
from openapi.violations import Violation


class InvalidRequest(Exception):
    """A request that the contract refuses, with what is wrong with it."""

    def __init__(self, violations: tuple[Violation, ...]) -> None:
        """Keep the violations, the first one first."""
        super().__init__(" ".join(each.sentence for each in violations))
        self.violations = violations


class InvalidParameters(InvalidRequest):
    """The contract refuses its query string."""


class InvalidBody(InvalidRequest):
    """The contract refuses its body."""


class UnsupportedBody(InvalidRequest):
    """Its body is of a media type that the operation does not read."""


def arguments_of(
    validator: ContractValidator,
    operation_id: str,
    *,
    query: bytes,
    content_type: str | None,
    body: bytes,
) -> dict[str, Any]:
    """Return the values of a request by name, typed and with defaults; ``body`` for a JSON body.

    A body that the operation does not have is not looked at. Raises InvalidRequest.
    """
    parameters = validator.parameters(operation_id, query)
    if parameters.violations:
        raise InvalidParameters(parameters.violations)
    found: dict[str, Any] = parameters.value
    if not validator.takes_body(operation_id):
        return found
    if not validator.reads(operation_id, content_type):
        raise UnsupportedBody((Violation("", "The body must be JSON."),))
    checked = validator.body(operation_id, body, content_type)
    if checked.violations:
        raise InvalidBody(checked.violations)
    return {**found, "body": checked.value}
