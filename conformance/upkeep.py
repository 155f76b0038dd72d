"""Does a checkout have what its contract asks for: a handler and tests for each operation?

The sources are read as text, never imported, so that a checkout that does not run yet can be told
what it lacks. Every gap is a sentence that begins with the file to open.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from openapi.contract import Operation

OPERATIONS = "handlers/api/operations.py"
MATRIX = "tests/handlers/api/test_matrix.py"
CONTRACT = "openapi/openapi.yaml"
_WRITERS = ("handlers", "storage", "ingest")
"""Where answers are written, and what of them is kept."""
GIVEN = frozenset({"body", "token_info"})
"""Arguments of a handler that are no parameters of the contract."""


@dataclass(frozen=True, slots=True)
class Handler:
    """A function that answers an operation.

    ``takes`` are its arguments, ``asks`` the storage functions it calls, by name, each with
    its module.
    """

    takes: frozenset[str]
    asks: Mapping[str, str]


def gaps(root: Path, operations: Sequence[Operation], base_path: str) -> list[str]:
    """Return what the checkout at ``root`` lacks; nothing where it has everything."""
    modules = _exported(root)
    found = [
        f"{OPERATIONS}: {name} is no operation of the contract; take it out"
        for name in sorted(modules.keys() - {each.operation_id for each in operations})
    ]
    tests = _texts(root / "tests" / "handlers"), _texts(root / "tests" / "storage")
    for operation in operations:
        name = operation.operation_id
        file = f"handlers/api/{modules.get(name, operation.tag)}.py"
        handler = _handlers(root / file).get(name)
        if handler is None:
            found.append(f"{file}: write {_signature(operation)}")
        if name not in modules:
            found.append(f"{OPERATIONS}: import {name} and name it in __all__")
        if handler is not None:
            found += _other_arguments(file, operation, handler)
            found += _untested_questions(handler, tests[1])
        found += _untested_requests(operation, operations, base_path, tests[0])
    return list(dict.fromkeys(found))


def unwritten_fields(root: Path, contract: Mapping[str, Any]) -> list[str]:
    """Return the properties of the contract's schemas that no code below ``root`` names."""
    texts = "\n".join(
        file.read_text(encoding="utf-8")
        for folder in _WRITERS
        for file in sorted((root / folder).rglob("*.py"))
    )
    return [
        f"{CONTRACT}: nothing gives {name} to {schema}; write it where the others are written"
        for schema, details in contract.get("components", {}).get("schemas", {}).items()
        for name in details.get("properties", {})
        if not re.search(rf"[\"']{re.escape(name)}[\"']", texts)
    ]


def argument(name: str) -> str:
    """Return how a handler calls a parameter: ``adapterType`` is ``adapter_type``."""
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).replace("-", "_").lower()


def _signature(operation: Operation) -> str:
    names = [argument(each.name) for each in operation.parameters]
    given = [] if operation.public else ["token_info"]
    body = ["body"] if operation.body else []
    taken = ", ".join([*given, *body, *names])
    return f"{operation.operation_id}({taken}), which answers {operation.method} {operation.path}"


def _other_arguments(file: str, operation: Operation, handler: Handler) -> Iterator[str]:
    named = {argument(each.name): each.name for each in operation.parameters}
    for name in sorted(named.keys() - handler.takes):
        yield f"{file}: {operation.operation_id} does not take {name}, so {named[name]} is ignored"
    for name in sorted(handler.takes - named.keys() - GIVEN):
        yield f"{file}: {operation.operation_id} takes {name}, which the contract does not have"


def _untested_questions(handler: Handler, texts: Iterable[str]) -> Iterator[str]:
    for name, module in sorted(handler.asks.items()):
        if not any(re.search(rf"\b{name}\b", text) for text in texts):
            yield f"tests/storage/test_{module}.py: nothing tests {name}"


def _untested_requests(
    operation: Operation, operations: Sequence[Operation], base_path: str, texts: Sequence[str]
) -> Iterator[str]:
    name, file = operation.operation_id, f"tests/handlers/api/test_{operation.tag}.py"
    if not any(re.search(rf"\b{name}\b", text) for text in texts):
        yield f"{MATRIX}: {name} has no rows; say in EXPECTED who may call it, in ADDRESSES how"
    asked = _address(operation, operations, base_path)
    asking = [text for text in texts if asked.search(text)]
    if not asking:
        yield f"{file}: nothing asks for {operation.method} {operation.path}"
        return
    for parameter in operation.parameters:
        if not any(re.search(rf"\b{re.escape(parameter.name)}\b", text) for text in asking):
            yield f"{file}: nothing asks for {operation.path} with {parameter.name}"


def _address(
    operation: Operation, operations: Sequence[Operation], base_path: str
) -> re.Pattern[str]:
    """Match the path in a test, with anything in place of its parameters but other paths."""
    before, opening, rest = operation.path.partition("{")
    literals = {
        re.escape(each.path.removeprefix(before))
        for each in operations
        if opening and each.path != operation.path and each.path.startswith(before)
    }
    others = f"(?!(?:{'|'.join(sorted(literals))})\\b)" if literals else ""
    pieces = re.split(r"\{[^}]*\}", opening + rest)
    tail = r"[^/?\"']+".join(map(re.escape, pieces))
    return re.compile(rf"{re.escape(base_path + before)}{others}{tail}(?![\w/-])")


def _exported(root: Path) -> dict[str, str]:
    """Return the operations that have a handler, each with the name of its module."""
    tree = _parsed(root / OPERATIONS)
    return {
        name.asname or name.name: str(node.module).rpartition(".")[2]
        for node in tree.body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def _handlers(file: Path) -> dict[str, Handler]:
    tree = _parsed(file)
    stored = {
        name.asname or name.name: str(node.module).rpartition(".")[2]
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("storage.")
        for name in node.names
        if name.name.islower()
    }
    functions = {
        node.name: node
        for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    return {
        name: Handler(
            takes=frozenset(each.arg for each in (*node.args.args, *node.args.kwonlyargs)),
            asks={each: stored[each] for each in _used(name, functions) if each in stored},
        )
        for name, node in functions.items()
    }


def _used(name: str, functions: Mapping[str, ast.AST]) -> set[str]:
    """Return every name that a function uses, itself or through others of its module."""
    used, left = {name}, [name]
    while left:
        names = {each.id for each in ast.walk(functions[left.pop()]) if isinstance(each, ast.Name)}
        left += (names - used) & functions.keys()
        used |= names
    return used


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8") if file.exists() else "")


def _texts(folder: Path) -> list[str]:
    return [file.read_text(encoding="utf-8") for file in sorted(folder.rglob("test_*.py"))]
