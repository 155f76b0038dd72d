"""What happens inside of write transactions: storing, and neither parsing nor reading the catalog.

SQLite has one writer, so whatever a transaction does besides makes everybody wait.
"""

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

import handlers

ROOT = Path(handlers.__file__).parents[1]
ROOMS = ("handlers", "delivery", "ingest", "service")
LEFT_OUT = {"commands", "demo"}  # the operator's own machine, and throwaway data

FORBIDDEN = {
    *("directory", "search_index", "sources_of_parts", "plan_stack", "public_sources"),
    *("read_opml", "look_up", "read_components", "of_purl", "render_template", "refusal_page"),
    *("validate_email", "send_mail", "read", "fetch", "check", "parse"),
    *("classify", "classify_in_child"),
}
"""Functions that read much of the catalog, compute, or talk to others."""


def blocks() -> Iterator[tuple[str, Sequence[ast.stmt], dict[str, ast.FunctionDef]]]:
    """Yield every block that runs in a write transaction, with the functions of its module."""
    for room in ROOMS:
        for path in sorted((ROOT / room).rglob("*.py")):
            if LEFT_OUT & set(path.parts):
                continue
            tree = ast.parse(path.read_text(encoding="utf-8"))
            own = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
            for node in ast.walk(tree):
                if isinstance(node, ast.With) and any(map(opens_write, node.items)):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.body, own


def opens_write(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and name_of(call) == "write"


def name_of(call: ast.Call) -> str:
    return getattr(call.func, "id", getattr(call.func, "attr", ""))


def called(
    body: Sequence[ast.AST], own: dict[str, ast.FunctionDef], seen: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield the names of all functions that are called, through those of the same module."""
    for node in (node for part in body for node in ast.walk(part)):
        if not isinstance(node, ast.Call):
            continue
        name = name_of(node)
        yield name
        if isinstance(node.func, ast.Name) and name in own and name not in seen:
            yield from called(own[name].body, own, seen | {name})


def test_all_write_transactions_are_found():
    places = [place for place, _, _ in blocks()]

    assert len(places) > 50
    assert any(place.startswith("handlers/site/account/follows.py") for place in places)
    assert any(place.startswith("ingest/pipeline/store.py") for place in places)


def test_no_write_transaction_parses_renders_or_reads_the_catalog():
    found = {
        f"{place}: {name}"
        for place, body, own in blocks()
        for name in FORBIDDEN & {*called(body, own)}
    }

    assert found == set()
