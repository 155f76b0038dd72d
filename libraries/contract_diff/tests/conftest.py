"""A small contract of an invented vendor, and ways to put something into it."""

import copy
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

SMALL = Path(__file__).parent / "tables" / "small_contract.yaml"
CONTRACT: dict[str, Any] = yaml.safe_load(SMALL.read_text("utf-8"))


@pytest.fixture(scope="session")
def today() -> date:
    return date(2026, 11, 21)


@pytest.fixture(scope="session")
def contract() -> Callable[..., dict[str, Any]]:
    """The small contract with one part replaced; None takes the part away."""

    def build(at: list[str], value: Any, beside: dict[str, Any] | None = None) -> dict[str, Any]:
        root = copy.deepcopy(CONTRACT)
        holder = root
        for step in at[:-1]:
            holder = holder[step]
        if value is None:
            holder.pop(at[-1], None)
        else:
            holder[at[-1]] = value
        holder.update(beside or {})
        return root

    return build


@pytest.fixture(scope="session")
def contract_around(contract) -> Callable[[str, dict[str, Any]], dict[str, Any]]:
    """The small contract with a schema in one place, a request's or a response's."""
    get = ["paths", "/things", "get"]

    def build(place: str, schema: dict[str, Any]) -> dict[str, Any]:
        media = {"application/json": {"schema": {"properties": {"value": schema}}}}
        match place:
            case "request-parameter":
                return contract(
                    [*get, "parameters"], [{"in": "query", "name": "value", "schema": schema}]
                )
            case "request-property":
                return contract(["paths", "/things", "post", "requestBody"], {"content": media})
            case "response-property":
                return contract([*get, "responses", "200"], {"content": media})
            case _:
                header = {"headers": {"Value": {"schema": schema}}}
                return contract([*get, "responses", "200"], header)

    return build
