"""changewire contract update: what it writes and what it tells (docs/contract.md)."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("openapi", "storage", "outbound", "ingest", "delivery", "client", "handlers", "service")
PARTS = (
    *PACKAGES,
    "conformance",
    "libraries",
    "tests/handlers",
    "tests/client",
    "tests/helpers",
)
SHAPES = "openapi/shapes.py"
CONTRACT = "openapi/openapi.yaml"
HEAD = 'openapi: 3.0.3\ninfo: {title: t, version: "1"}\n'


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the command reads, one version after a made-up release.

    What the checkout itself lacks is in tests/conformance/test_contract_todo.py.
    """
    root = tmp_path / "checkout"
    for part in PARTS:
        shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
    for file in ("pyproject.toml", "tests/conftest.py"):
        shutil.copy(ROOT / file, root / file)
    contract = (root / CONTRACT).read_text()
    (root / "openapi" / "released").mkdir(exist_ok=True)
    (root / "openapi" / "released" / "1.0.0.yaml").write_text(contract)
    (root / CONTRACT).write_text(contract.replace("version: 1.0.0", "version: 1.1.0", 1))
    return root


@pytest.fixture
def edit(checkout):
    """Put something in place of a text of the contract."""

    def edit(old, new):
        file = checkout / CONTRACT
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    return edit


@pytest.mark.slow
def test_new_shapes_are_written_unless_only_a_check_is_wanted(run, checkout, edit):
    edit(
        "      required: [plan, total, limit, offset, items]\n      properties:",
        "      required: [plan, total, limit, offset, items]\n      properties:\n"
        "        moreToCome: {type: boolean, description: Whether there are more.}",
    )
    before = (checkout / SHAPES).read_text()

    status, _, err = run("contract", "update", str(checkout), "--check")
    assert (status, "run changewire contract update" in err) == (1, True)
    assert (checkout / SHAPES).read_text() == before

    status, _, err = run("contract", "update", str(checkout))
    assert (status, err.splitlines()[0]) == (1, f"Generated: {SHAPES}")
    assert "Compared with version 1.0.0." in err.splitlines()
    assert "moreToCome: NotRequired[bool]" in (checkout / SHAPES).read_text()
    assert f"{CONTRACT}: no code names moreToCome of EntryPage" in err


@pytest.mark.slow
def test_a_new_operation_asks_for_what_it_needs(run, checkout, edit):
    edit(
        "  /latest:\n    get:\n      tags: [feeds]\n      operationId: list_latest",
        "  /latest/new:\n    get:\n      tags: [feeds]\n      operationId: list_new",
    )

    status, _, err = run("contract", "update", str(checkout))

    assert status == 1
    assert {
        "handlers/api/feeds.py: write list_new(query, caller), which answers GET /latest/new",
        "handlers/api/operations.py: import list_new and name it in __all__",
        "handlers/api/operations.py: list_latest is no operation of the contract; take it out",
    } <= set(err.splitlines())
    assert "openapi/openapi.yaml: breaks what 1.0.0 promised, GET /latest" in err


@pytest.mark.slow
def test_a_parameter_that_no_handler_heeds_is_told_by_what_was_sent(run, checkout, edit):
    edit(
        "        - $ref: '#/components/parameters/Future'",
        "        - $ref: '#/components/parameters/Future'\n"
        "        - $ref: '#/components/parameters/AdapterType'",
    )

    status, _, err = run("contract", "update", str(checkout))

    assert status == 1
    assert (
        "handlers/api/feeds.py: adapterType=rss changes nothing in the response of GET /latest, "
        "as sent by tests/handlers/api/test_parameters.py"
    ) in err.splitlines()
    assert "client/operations.py: latest does not take adapter_type" in err.splitlines()


def test_what_breaks_a_house_rule_is_told_before_anything_follows_from_it(run, checkout, edit):
    edit("      operationId: list_latest", "      operationId: listLatest")

    status, _, err = run("contract", "update", str(checkout))

    assert (status, err) == (
        1,
        f"changewire: 1 to do:\n{CONTRACT}: listLatest: an operationId is in snake_case\n",
    )


@pytest.mark.parametrize(("command", "expected"), [(("check",), 1), (("diff", ROOT / CONTRACT), 2)])
def test_what_is_wrong_with_a_contract_cannot_control_the_terminal(
    run, tmp_path, command, expected
):
    file = tmp_path / "odd.yaml"
    file.write_text('{openapi: 3.0.3, paths: {}, "\\e[2J": {$ref: "#/\\e[3J"}}')

    status, _, err = run("contract", *map(str, command), str(file))

    assert status == expected
    assert "[3J" in err
    assert err.replace("\n", "").isprintable()


@pytest.mark.parametrize("command", [("check",), ("diff", "round.yaml")])
def test_a_contract_that_is_inside_itself_is_refused_in_one_line(run, tmp_path, command):
    part = "components: {schemas: {Tree: &tree {properties: {child: *tree}}}}\n"
    (tmp_path / "round.yaml").write_text(f"{HEAD}paths: {{}}\n{part}")

    status, out, err = run("contract", *command, "round.yaml")

    assert (status, out) == (2, "")
    assert err == (
        "changewire: round.yaml: "
        "A part is inside itself, through an alias; write it with $ref instead.\n"
    )


NOT_COMPARABLE = {
    "of OpenAPI 3.1": (
        'openapi: 3.1.0\ninfo: {title: t, version: "1"}\npaths: {}\n',
        "other.yaml cannot be compared: It is written in OpenAPI 3.1.0; only 3.0 is read.",
    ),
    "not text": ("\udcff", "other.yaml is no text in UTF-8."),
    "too deep": ("[" * 300 + "]" * 300, "other.yaml nests more than 200 levels deep."),
    "another file": (
        HEAD + "paths: {/a: {$ref: 'more.yaml#/a'}}\n",
        "other.yaml cannot be compared: "
        "more.yaml#/a leads out of the document; bundle it into one file first.",
    ),
    "not OpenAPI": (
        HEAD + "paths: {/a: {get: {responses: 5}}}\n",
        'other.yaml cannot be compared: paths//a/get/responses: 5 is not of type "object"',
    ),
    "aliases of aliases": (
        HEAD
        + "paths: {}\nx-0: &a0 [1, 1]\n"
        + "".join(f"x-{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n" for n in range(30)),
        "other.yaml cannot be compared: The document is too large.",
    ),
}


@pytest.mark.parametrize(("text", "line"), NOT_COMPARABLE.values(), ids=NOT_COMPARABLE)
def test_a_document_that_cannot_be_compared_is_wrong_input_said_in_one_line(
    run, tmp_path, text, line
):
    (tmp_path / "other.yaml").write_bytes(text.encode("utf-8", "surrogateescape"))
    (tmp_path / "fine.yaml").write_text(HEAD + "paths: {}\n")

    assert run("contract", "diff", "other.yaml", "fine.yaml") == (2, "", f"changewire: {line}\n")


@pytest.mark.parametrize("name", ["not OpenAPI", "aliases of aliases"])
def test_what_breaks_a_validator_is_a_fault_of_the_contract(run, tmp_path, name):
    (tmp_path / "other.yaml").write_text(NOT_COMPARABLE[name][0])

    status, out, err = run("contract", "check", "other.yaml")

    assert (status, out) == (1, "")
    assert "Traceback" not in err
    assert err.startswith("changewire: ")
