"""changewire contract update: what it writes and what it tells (docs/contract.md)."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHAPES = "openapi/shapes.py"
CONTRACT = "openapi/openapi.yaml"
HEAD = 'openapi: 3.0.3\ninfo: {title: t, version: "1"}\n'


@pytest.fixture
def checkout(tmp_path):
    """A copy of what the command reads, one version after 1.0.0."""
    root = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "openapi", root / "openapi", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", root)
    contract = (root / CONTRACT).read_text()
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
    assert (status, err.splitlines()[0]) == (0, f"Generated: {SHAPES}")
    assert "Compared with version 1.0.0." in err.splitlines()
    assert "moreToCome: NotRequired[bool]" in (checkout / SHAPES).read_text()


def test_a_broken_promise_is_listed(run, checkout, edit):
    edit("  /latest:\n", "  /latest/new:\n")

    status, _, err = run("contract", "update", str(checkout))

    assert status == 1
    assert "openapi/openapi.yaml: breaks what 1.0.0 promised, GET /latest" in err


def test_what_breaks_a_house_rule_is_told_before_anything_follows_from_it(run, checkout, edit):
    edit("      operationId: list_latest", "      operationId: listLatest")

    status, _, err = run("contract", "update", str(checkout))

    assert (status, err) == (
        1,
        f"changewire: 1 to do:\n{CONTRACT}: listLatest: an operationId is in snake_case\n",
    )


def test_what_is_wrong_with_a_contract_cannot_control_the_terminal(run, tmp_path):
    file = tmp_path / "odd.yaml"
    file.write_text('{openapi: 3.0.3, paths: {}, "\\e[2J": {$ref: "#/\\e[3J"}}')

    status, _, err = run("contract", "check", str(file))

    assert (status, "[3J" in err) == (1, True)
    assert err.replace("\n", "").isprintable()


NOT_COMPARABLE = {
    "not text": ("\udcff", "other.yaml is not UTF-8 text."),
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
