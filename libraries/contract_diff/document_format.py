"""Finds what keeps a document from being read as OpenAPI 3.0."""

from collections.abc import Iterable, Mapping
from typing import Any

from openapi_spec_validator import OpenAPIV30SpecValidator

from contract_diff.document import Node
from contract_diff.references import (
    circular_references,
    dangling_references,
    references_of,
    unquoted_names,
)

LARGEST = 1_000_000
"""Nodes of a document, those that aliases of YAML share counted wherever they stand."""
_TOO_LARGE = "The document is too large."
_LONGEST = 200
"""Characters of an error that are shown: some repeat the whole part."""


def document_errors(contract: Node) -> list[str]:
    """Return what keeps a contract from being read; none if it is valid OpenAPI 3.0.

    Each step needs that those before found nothing: a circle, or a part of another form, breaks
    the validator.
    """
    other_version = version_error(contract)
    if other_version:
        return [other_version]
    try:
        if _size(contract, {}) > LARGEST:
            return [_TOO_LARGE]
        circular = circular_references(contract, references_of(contract))
        return (
            [f"{ref} leads back to itself." for ref in circular]
            or [*unquoted_names(contract), *dangling_references(contract)]
            or format_errors(contract)
            or _sentences(OpenAPIV30SpecValidator(contract).iter_errors())
        )
    except RecursionError:
        return ["The document nests too deeply, or holds itself."]


def version_error(contract: Node) -> str | None:
    """Return a sentence about a document of another version than OpenAPI 3.0; else None."""
    version = contract.get("openapi")
    if isinstance(version, str) and version.startswith("3.0."):
        return None
    if "swagger" in contract:
        return f"It is written in Swagger {contract['swagger']}; only OpenAPI 3.0 is read."
    if version is None:
        return "It names no version of OpenAPI; only OpenAPI 3.0 is read."
    return f"It is written in OpenAPI {version}; only 3.0 is read."


def format_errors(contract: Node) -> list[str]:
    """Return a sentence for each part of a document that is not what OpenAPI 3.0 has there."""
    if _size(contract, {}) > LARGEST:
        return [_TOO_LARGE]
    document = _with_text_names(contract, {})
    return _sentences(OpenAPIV30SpecValidator.schema_validator.iter_errors(document))


def _sentences(errors: Iterable[Any]) -> list[str]:
    return [
        f"{'/'.join(map(str, error.absolute_path)) or 'The document'}: {_shown(error.message)}"
        for error in errors
    ]


def _shown(message: str) -> str:
    """Return the first line of an error, shortened in the middle."""
    line = message.partition("\n")[0]
    if len(line) <= _LONGEST:
        return line
    return f"{line[: _LONGEST // 2]} … {line[-_LONGEST // 2 :]}"


def _size(node: Any, known: dict[int, int]) -> int:
    """Count the nodes below a node and itself; ``known`` has those that were counted."""
    if id(node) not in known:
        children = _children(node)
        known[id(node)] = 1 + sum(_size(child, known) for child in children)
    return known[id(node)]


def _children(node: Any) -> list[Any]:
    if isinstance(node, Mapping):
        return list(node.values())
    return node if isinstance(node, list) else []


def _with_text_names(node: Any, known: dict[int, Any]) -> Any:
    """Return a copy in which names are text: YAML reads a status as a number."""
    if id(node) not in known:
        if isinstance(node, Mapping):
            copy: Any = {str(key): _with_text_names(value, known) for key, value in node.items()}
        elif isinstance(node, list):
            copy = [_with_text_names(value, known) for value in node]
        else:
            copy = node
        known[id(node)] = copy
    return known[id(node)]
