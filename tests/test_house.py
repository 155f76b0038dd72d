"""How the code stands: sizes of files and functions, where imports are, what checks pass over."""

import ast
import re
import tomllib
from functools import cache
from itertools import chain, dropwhile
from pathlib import Path
from statistics import median

import pytest

from service.command_line import COMMANDS

ROOT = Path(__file__).parents[1]
LINES_OF_ROOMS = {  # generated modules and migrations included; raised by what goes elsewhere
    "openapi": 2_943,
    "storage": 12_540,
    "outbound": 841,
    "ingest": 7_903,
    "delivery": 1_318,
    "client": 1_287,
    "handlers": 11_858,
    "conformance": 3_311,
    "service": 7_748,
    "libraries/changelog_reader": 10_077,
    "libraries/contract_diff": 2_597,
    "libraries/package_versions": 2_469,
}
PACKAGES = tuple(LINES_OF_ROOMS)
GENERATED = ("openapi/shapes.py", "openapi/queries.py")
LINES_OF_A_FILE = 350
LINES_OF_A_FUNCTION = 50
PARAMETERS = 6
CLIENT = ("client/client.py: __init__", "client/operations.py: create_webhook")  # its options
LINES_OF_A_SMALL_FILE = 25
SMALL = {  # what cannot be loaded with others
    "libraries/changelog_reader/adapters/registry.py",
    "ingest/sandbox/documents.py",
    *("service/cli.py", "service/failures.py", "service/telemetry/trace_export.py"),
    *("service/commands/tables.py", "storage/engine/text_without_nul.py"),
}
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
UNIT = re.compile(r"SECONDS|MINUTES|DAYS|BYTES|MS$|_MB$")
WITHOUT_UNIT = re.compile(
    r"^([A-Z_]+)(?:: Final)? = [\d_.]+(?: ?(?:\*|<<) ?\d+)*"
    r"(?:  # |\n\"\"\")(?:seconds|minutes|bytes)\b",
    re.IGNORECASE | re.MULTILINE,
)
MEDIAN_OF_FUNCTIONS = 8
IMPORTS_IN_FUNCTIONS = 8  # docs/decisions/0076
IGNORES = 28
LINES_OF_PRODUCT = 49_740  # without the libraries
LINES_OF_TESTS = 49_820  # those of the libraries included
CLASSES = 477
LINES_OF_BENCH = 1_495
KB_OF_DOCS = 208
KB_OF_MANUALS = 160
DECISIONS = 40
DEPENDENCIES = 48
COMMANDS_AT_MOST = 22
FOLDERS = {
    *(package.partition("/")[0] for package in PACKAGES),
    *("bench", "clients", "deploy", "docs", "tests"),
}
IGNORE = re.compile(r"#\s*(?:type:\s*ignore|noqa)\b(.*)")
REASON = re.compile(r"\s(?:-|#)\s+\S")


def is_written(path: Path) -> bool:
    """Tell modules that people edit from generated ones and from migrations."""
    name = path.relative_to(ROOT).as_posix()
    return name not in GENERATED and "migrations/versions" not in name


MODULES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
    if is_written(path) and "tests" not in path.parts
}


@cache
def functions() -> list[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """Return each function with its name; read once, by the process that runs these tests."""
    return [
        (f"{name}: {node.name}", node)
        for name, text in MODULES.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or 0) - node.lineno + 1


def test_no_file_is_longer_than_a_reader_keeps_in_mind():
    assert [name for name, text in MODULES.items() if text.count("\n") > LINES_OF_A_FILE] == []


def test_no_function_is_longer_than_a_screen():
    assert [name for name, node in functions() if length(node) > LINES_OF_A_FUNCTION] == []


def test_no_function_takes_more_than_a_few_parameters():
    """The options of a command and of the client are a list that people choose from by name."""
    many = {
        name
        for name, node in functions()
        if len({argument.arg for argument in (*node.args.args, *node.args.kwonlyargs)} - {"self"})
        > PARAMETERS
        and not name.startswith("service/commands/")
    }
    assert many == set(CLIENT)


def test_no_file_is_so_small_that_a_neighbour_could_have_it():
    small = {
        name
        for name, text in MODULES.items()
        if text.count("\n") < LINES_OF_A_SMALL_FILE
        and not name.endswith("__init__.py")
        and "/test_" not in name
    }
    assert small == SMALL


def test_constants_stand_above_functions_unless_they_are_made_of_them():
    late = []
    for name, text in MODULES.items():
        body = ast.parse(text).body
        defined = {node.name for node in body if isinstance(node, DEFINITIONS)}
        below = dropwhile(lambda node: not isinstance(node, DEFINITIONS), body)
        others = [node for node in below if not isinstance(node, DEFINITIONS)]
        names = {it.id for other in others for it in ast.walk(other) if isinstance(it, ast.Name)}
        if any(isinstance(node, ast.Assign | ast.AnnAssign) for node in others):
            late += [] if names & defined else [name]
    assert late == []


def test_constants_name_their_unit():
    named = chain.from_iterable(map(WITHOUT_UNIT.findall, MODULES.values()))
    assert [name for name in named if not UNIT.search(name)] == []


def test_half_of_the_functions_are_short():
    assert median(length(node) for _, node in functions()) <= MEDIAN_OF_FUNCTIONS


def test_imports_stand_at_the_top_of_a_file_but_for_a_few():
    inside = [
        name
        for name, function in functions()
        for node in ast.walk(function)
        if isinstance(node, ast.Import | ast.ImportFrom)
    ]
    assert len(inside) <= IMPORTS_IN_FUNCTIONS, inside


def test_nothing_is_imported_for_the_type_checker_alone():
    assert [name for name, text in MODULES.items() if "TYPE_CHECKING" in text] == []


def test_few_checks_are_passed_over():
    assert sum(len(IGNORE.findall(text)) for text in MODULES.values()) <= IGNORES


@pytest.mark.parametrize(
    ("line", "is_explained"),
    [
        ("x = 1  # noqa: S101 - asserts are for us", True),
        ("x = 1  # type: ignore[misc]  # the library has no types", True),
        ("x = 1  # noqa: S101", False),
        ("x = 1  # type: ignore[misc]", False),
    ],
)
def test_a_reason_stands_behind_what_is_passed_over(line, is_explained):
    ignore = IGNORE.search(line)
    assert (ignore is not None and REASON.search(ignore[1]) is not None) is is_explained


def test_each_check_that_is_passed_over_says_why():
    unexplained = [
        f"{name}:{number}"
        for name, text in MODULES.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if (ignore := IGNORE.search(line)) and not REASON.search(ignore[1])
    ]
    assert unexplained == []


def lines_of(folder: str, *, of_tests: bool = False) -> int:
    """Count the lines of Python in a folder, those of the tests in it or the others."""
    return sum(
        file.read_text("utf-8").count("\n")
        for file in (ROOT / folder).rglob("*.py")
        if ("tests" in file.relative_to(ROOT).parts) is of_tests
    )


def test_the_product_stays_small():
    rooms = [room for room in PACKAGES if not room.startswith("libraries/")]

    assert sum(map(lines_of, rooms)) <= LINES_OF_PRODUCT


@pytest.mark.parametrize(("room", "lines"), LINES_OF_ROOMS.items())
def test_each_room_stays_small(room, lines):
    assert lines_of(room) <= lines


def test_there_are_few_classes():
    classes = [
        node
        for text in MODULES.values()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ClassDef)
    ]
    assert len(classes) <= CLASSES


def test_tests_and_measurements_stay_small():
    of_tests = [lines_of(folder, of_tests=True) for folder in ("tests", "libraries")]
    assert sum(of_tests) <= LINES_OF_TESTS
    assert lines_of("bench") <= LINES_OF_BENCH


def test_the_documents_stay_short():
    sizes = {page: page.stat().st_size for page in (ROOT / "docs").rglob("*.*")}
    pages = {page: size for page, size in sizes.items() if page.suffix != ".png"}
    decisions = [size for page, size in pages.items() if page.parent.name == "decisions"]

    assert sum(pages.values()) <= 1_000 * KB_OF_DOCS
    assert sum(pages.values()) - sum(decisions) <= 1_000 * KB_OF_MANUALS
    assert len(decisions) <= DECISIONS


def test_few_packages_are_depended_on():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]

    assert len(project["dependencies"]) <= DEPENDENCIES


def test_there_are_few_commands():
    assert len(COMMANDS) <= COMMANDS_AT_MOST


def test_there_is_no_other_folder_at_the_top():
    present = {file.parent.name for file in ROOT.glob("[!._]*/*") if file.parent.is_dir()}

    assert present - {"build", "dist"} <= FOLDERS
