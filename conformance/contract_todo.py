"""What a checkout lacks of what its contract asks for: handlers, fields, and tests that pass.

Handlers are looked up in the source text, so that a checkout that cannot run yet is told what it
lacks. Parameters are checked by running the tests that are made from the contract; their failures
are returned. Every sentence begins with the file to open.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

from openapi.contract import Operation

OPERATIONS = "handlers/api/operations.py"
CONTRACT = "openapi/openapi.yaml"
TESTS = (
    "tests/handlers/api/test_parameters.py",
    "tests/handlers/api/test_matrix.py::test_every_operation_has_its_rows",
    "tests/client/test_operations.py",
)
"""The tests that are made from the contract."""
LONGEST_SECONDS = 900
_WRITERS = ("handlers", "storage", "ingest", "libraries")
"""The packages that write responses, or store parts of them."""


def missing_handlers(root: Path, operations: Sequence[Operation]) -> list[str]:
    """Return what the checkout at ``root`` lacks of its operations' handlers."""
    modules = _exported(root)
    extra = modules.keys() - {operation.operation_id for operation in operations}
    return [
        *(f"{OPERATIONS}: {name} is no operation of the contract; take it out" for name in extra),
        *(
            sentence
            for operation in operations
            for sentence in _missing_handler(root, operation, modules)
        ),
    ]


def unwritten_fields(root: Path, contract: Mapping[str, Any]) -> list[str]:
    """Return the properties of the contract's schemas that no code below ``root`` names."""
    texts = "\n".join(
        file.read_text(encoding="utf-8")
        for folder in _WRITERS
        for file in sorted((root / folder).rglob("*.py"))
    )
    return [
        f"{CONTRACT}: no code names {name} of {schema}; write it where the others are written"
        for schema, details in contract.get("components", {}).get("schemas", {}).items()
        for name in details.get("properties", {})
        if not re.search(rf"[\"']{re.escape(name)}[\"']", texts)
    ]


def failures(root: Path) -> list[str]:
    """Run the tests that are made from the contract; return their failures without duplicates.

    They run in the checkout at ``root``, which is the one that they import.
    """
    root = root.resolve()
    with TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        completed = subprocess.run(
            [*command, f"--junitxml={report}", *TESTS],
            cwd=root,
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(root), str(root / "libraries")))},
            capture_output=True,
            text=True,
            timeout=LONGEST_SECONDS,
            check=False,
        )
        if not report.exists():
            return [f"tests: they cannot be run: {_last_line(completed.stdout + completed.stderr)}"]
        problems = [_sentence(case) for case in ElementTree.parse(report).iter("testcase")]  # noqa: S314 - written by pytest, a line above
    return list(dict.fromkeys(filter(None, problems)))


def _missing_handler(root: Path, operation: Operation, modules: Mapping[str, str]) -> Iterator[str]:
    name = operation.operation_id
    file = f"handlers/api/{modules.get(name, operation.tag)}.py"
    if name not in _functions(root / file):
        takes = "body" if operation.body else "query, caller"
        yield f"{file}: write {name}({takes}), which answers {operation.method} {operation.path}"
    if name not in modules:
        yield f"{OPERATIONS}: import {name} and name it in __all__"


def _sentence(case: ElementTree.Element) -> str | None:
    """Return the message of a failed test; None for one that passed."""
    problem = next((part for part in case if part.tag in ("failure", "error")), None)
    if problem is None:
        return None
    words = problem.get("message", "").partition("\n")[0].removeprefix("AssertionError: ")
    if re.match(r"[\w/]+\.(py|yaml): ", words):
        return words
    where = (
        case.get("classname") or case.get("name") or ""
    )  # a file that cannot be read has no class
    if where == case.get("name"):
        words = _last_line(problem.text or "")
    return f"{where.replace('.', '/')}.py: {case.get('name')} fails: {words}"


def _last_line(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "no words")


def _exported(root: Path) -> dict[str, str]:
    """Return the operations that have a handler, each with the name of its module."""
    return {
        name.asname or name.name: str(node.module).rpartition(".")[2]
        for node in _parsed(root / OPERATIONS).body
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }


def _functions(file: Path) -> set[str]:
    return {node.name for node in _parsed(file).body if isinstance(node, ast.FunctionDef)}


def _parsed(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8") if file.exists() else "")
