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

READS_MUCH = {
    "directory": "reads the whole catalog",
    "search_index": "builds an index of the whole catalog",
    "propose": "compares a file with the catalog",
    "known_sources": "reads the catalog",
    "plan_stack": "reads the releases of all parts",
    "selected_sources": "reads names and addresses",
    "page_states": "reads pages of the catalog",
}
COMPUTES = {
    "read_opml": "parses a file",
    "look_up": "matches a file's lines",
    "read_components": "parses a file",
    "of_purl": "parses package URLs",
    "propose": "compares a file with the catalog",
    "render_template": "renders a page",
    "refusal_page": "renders a page",
    "parse_query_form": "parses a filter",
    "validate_email": "parses an address",
    "send_mail": "talks to a mail server",
    "read": "reads a file",
    "fetch": "sends a request to a vendor",
    "check": "checks a source",
    "parse": "parses a document",
    "parse_and_match": "parses a document",
    "process": "compares documents",
    "classify": "classifies entries",
    "classify_in_child": "classifies entries",
}


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
    assert any(place.startswith("handlers/site/account/selection.py") for place in places)
    assert any(place.startswith("ingest/pipeline/store.py") for place in places)


def test_no_write_transaction_parses_renders_or_reads_the_catalog():
    forbidden = READS_MUCH | COMPUTES
    found = {
        f"{place}: {name} {forbidden[name]}"
        for place, body, own in blocks()
        for name in called(body, own)
        if name in forbidden
    }

    assert found == set()
