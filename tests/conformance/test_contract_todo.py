"""What a checkout lacks of what its contract asks for."""

import textwrap
from datetime import UTC, datetime
from pathlib import Path

import pytest

from conformance.contract_todo import TESTS, failures, missing_handlers, unwritten_fields
from openapi.contract import load_contract, operations_of
from openapi.release import broken_promises, last_release

CHECKOUT = Path(__file__).parents[2]
FILES = {
    "handlers/api/operations.py": """
        from handlers.api.books import find_book, list_books

        __all__ = ["find_book", "list_books"]
        """,
    "handlers/api/books.py": """
        def list_books(query, caller):
            return page_books(query.limit)

        def find_book(query, caller):
            return get_book(query.slug)
        """,
}


def operation(name, **more):
    answers = {"200": {"description": "Books."}}
    card = {"operationId": name, "summary": "Books.", "tags": ["books"], "parameters": []}
    return {**card, "responses": answers, **more}


@pytest.fixture
def checkout(tmp_path):
    """A checkout with two operations; ``checkout(contract, {file: text})`` says what it lacks."""
    paths = {
        "/books": {"get": operation("list_books")},
        "/book": {"get": operation("find_book", security=[{"key": []}])},
    }

    def checkout(more=None, edits=None):
        for name, text in {**FILES, **(edits or {})}.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text))
        return missing_handlers(tmp_path, list(operations_of({"paths": {**paths, **(more or {})}})))

    return checkout


@pytest.fixture
def tests(tmp_path):
    """A checkout whose tests from the contract have these lines."""

    def tests(*lines):
        for name in {test.partition("::")[0] for test in TESTS}:
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text("def test_every_operation_has_its_rows():\n    pass\n")
        (tmp_path / TESTS[0]).write_text("\n".join(lines))
        return failures(tmp_path)

    return tests


def edited(file, old, new):
    assert old in FILES[file]
    return {file: FILES[file].replace(old, new)}


def test_a_whole_checkout_lacks_no_handler(checkout):
    assert checkout() == []


def test_a_new_operation_needs_a_handler(checkout):
    card = operation("add_book", requestBody={"content": {"application/json": {"schema": {}}}})

    assert checkout({"/pages": {"get": operation("read_page"), "post": card}}) == [
        "handlers/api/books.py: write read_page(query, caller), which answers GET /pages",
        "handlers/api/operations.py: import read_page and name it in __all__",
        "handlers/api/books.py: write add_book(body), which answers POST /pages",
        "handlers/api/operations.py: import add_book and name it in __all__",
    ]


def test_a_handler_of_no_operation_is_reported(checkout):
    edit = edited("handlers/api/operations.py", "import find_book,", "import burn, find_book,")

    assert checkout(edits=edit) == [
        "handlers/api/operations.py: burn is no operation of the contract; take it out"
    ]


def test_a_handler_that_is_not_exported_is_reported(checkout):
    edit = {"handlers/api/operations.py": "from handlers.api.books import list_books"}

    assert checkout(edits=edit) == [
        "handlers/api/operations.py: import find_book and name it in __all__"
    ]


@pytest.mark.slow
def test_what_the_tests_find_is_repeated_in_their_words_and_once(tests):
    sentence = "handlers/api/books.py: page 2 of GET /books forgets genre"

    assert tests(
        "import pytest",
        "@pytest.mark.parametrize('n', [1, 2])",
        f"def test_page_2(n):\n    assert n > 2, '{sentence}'",
        "def test_other():\n    assert 1 == 2",
    ) == [sentence, f"{TESTS[0]}: test_other fails: assert 1 == 2"]


@pytest.mark.slow
def test_tests_that_cannot_be_imported_are_reported(tests):
    (sentence,) = tests("import no_such_module_of_ours")

    assert "No module named 'no_such_module_of_ours'" in sentence


@pytest.mark.slow
def test_tests_that_pass_leave_nothing_to_do(tests):
    assert tests("def test_page_2():\n    pass") == []


def test_a_field_that_no_code_names_is_reported(tmp_path):
    (tmp_path / "handlers").mkdir()
    (tmp_path / "handlers" / "render.py").write_text('BOOK = {"title": 1, "pages": 2}  # price')
    book = {"properties": {"title": {}, "pages": {}, "price": {}}}

    assert unwritten_fields(tmp_path, {"components": {"schemas": {"Book": book}}}) == [
        "openapi/openapi.yaml: no code names price of Book; write it where the others are written"
    ]
    assert unwritten_fields(tmp_path, {"paths": {}}) == []


def test_this_checkout_has_what_its_contract_asks_for():
    """Its files: tests/openapi/test_generation.py. The tests that ``failures`` runs run anyway."""
    contract = load_contract()

    assert missing_handlers(CHECKOUT, tuple(operations_of(contract))) == []
    assert unwritten_fields(CHECKOUT, contract) == []


def test_this_contract_keeps_what_the_last_release_promised():
    released, today = last_release(CHECKOUT), datetime.now(UTC).date()

    assert broken_promises(released, load_contract(), today=today) == []
