"""The major versions of the API: each is a contract with its handlers (docs/decisions/0001)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import orjson
import yaml

from openapi.contract import base_path_of, contract_json, contract_text, load_contract
from openapi.queries import QUERIES
from openapi.query import Query
from openapi.strictness import strict
from openapi.validation import ContractValidator, contract_validator

HANDLERS: Final = "handlers.api.operations"


@dataclass(frozen=True, slots=True)
class Major:
    """One major version: its contract, the module of its handlers, and their query objects.

    ``document`` is where the contract is served below the site, without its ending; ``base_path``
    the prefix of its operations: ``/api/v1``.
    """

    contract: Mapping[str, Any]
    as_json: bytes
    as_yaml: bytes
    validator: ContractValidator
    handlers: str = HANDLERS
    queries: Mapping[str, type[Query]] = field(default_factory=lambda: QUERIES)
    document: str = "/openapi"
    base_path: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_path", base_path_of(self.contract))


@cache
def shipped_major() -> Major:
    """Return the major version of the contract that is shipped."""
    return Major(load_contract(), contract_json(), contract_text(), contract_validator())


def major_of(
    contract: Mapping[str, Any],
    *,
    handlers: str = HANDLERS,
    queries: Mapping[str, type[Query]] = QUERIES,
    document: str = "/openapi",
) -> Major:
    """Return the major version of another contract."""
    return Major(
        contract,
        orjson.dumps(contract),
        yaml.safe_dump(dict(contract), sort_keys=False, allow_unicode=True).encode(),
        ContractValidator(strict(contract)),
        handlers,
        queries,
        document,
    )
