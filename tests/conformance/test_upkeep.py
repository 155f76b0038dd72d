"""What a checkout lacks of what its contract asks for."""

import textwrap

import pytest

from conformance.upkeep import argument, gaps, unwritten_fields
from openapi.contract import operations_of

PAGE = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
WAY = {"name": "adapterType", "in": "query", "schema": {"type": "string"}}
SLUG = {"name": "slug", "in": "path", "schema": {"type": "string"}}
NO_ROWS = " has no rows; say in EXPECTED who may call it, in ADDRESSES how"
FILES = {
    "handlers/api/operations.py": """
        from handlers.api.books import find_book, list_books

        __all__ = ["find_book", "list_books"]
        """,
    "handlers/api/books.py": """
        from storage.books import BookFilter, get_book, page_books

        def list_books(limit, adapter_type=None):
            return page_books(BookFilter(adapter_type), limit=limit)

        def find_book(token_info, slug):
            return _found(slug)

        def _found(slug):
            return get_book(slug)
        """,
    "tests/handlers/api/test_books.py": """
        def test_books():
            client.get("/v1/books?limit=2&adapterType=rss")

        def test_a_book():
            slug = "a.b"
            client.get(f"/v1/books/{slug}")
        """,
    "tests/handlers/api/test_matrix.py": """
        ROWS = {"list_books": "/v1/books", "find_book": "/v1/books/{slug}"}
        """,
    "tests/storage/test_books.py": "page_books, get_book",
}


def operation(name, *parameters, method="GET", **more):
    answers = {"200": {"description": "Books."}}
    return {
        "operationId": name,
        "summary": "Books.",
        "tags": ["books"],
        "parameters": list(parameters),
        "responses": answers,
        **more,
    }


@pytest.fixture
def checkout(tmp_path):
    """A checkout with two operations; ``checkout(contract, {file: text})`` tells its gaps."""
    paths = {
        "/books": {"get": operation("list_books", PAGE, WAY)},
        "/books/{slug}": {"get": operation("find_book", SLUG, security=[{"key": []}])},
    }

    def checkout(more=None, edits=None):
        for name, text in {**FILES, **(edits or {})}.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text))
        operations = list(operations_of({"paths": {**paths, **(more or {})}}))
        return gaps(tmp_path, operations, "/v1")

    return checkout


def edited(file, old, new):
    assert old in FILES[file]
    return {file: FILES[file].replace(old, new)}


def test_a_whole_checkout_lacks_nothing(checkout):
    assert checkout() == []


def test_a_new_operation_asks_for_its_handler_and_its_tests(checkout):
    card = operation("add_book", method="POST", requestBody={"content": {}})
    card["requestBody"]["content"] = {"application/json": {"schema": {}}}
    new = operation("read_page", PAGE, WAY, security=[{"key": []}])

    assert checkout({"/pages": {"get": new, "post": card}}) == [
        "handlers/api/books.py: write read_page(token_info, limit, adapter_type), "
        "which answers GET /pages",
        "handlers/api/operations.py: import read_page and name it in __all__",
        f"tests/handlers/api/test_matrix.py: read_page{NO_ROWS}",
        "tests/handlers/api/test_books.py: nothing asks for GET /pages",
        "handlers/api/books.py: write add_book(body), which answers POST /pages",
        "handlers/api/operations.py: import add_book and name it in __all__",
        f"tests/handlers/api/test_matrix.py: add_book{NO_ROWS}",
        "tests/handlers/api/test_books.py: nothing asks for POST /pages",
    ]


def test_a_path_is_not_taken_for_one_with_parameters(checkout):
    tests = {"tests/handlers/api/test_matrix.py": 'ROWS = {"list_books": ..., "find_book": ...}'}
    tests["tests/handlers/api/test_books.py"] = """
        read_new = client.get("/v1/books/new")
        list_books = client.get("/v1/books?limit=2&adapterType=rss")
        """
    new = {"/books/new": {"get": operation("read_new")}}

    assert [each for each in checkout(new, tests) if each.startswith("tests")] == [
        "tests/handlers/api/test_books.py: nothing asks for GET /books/{slug}",
    ]


@pytest.mark.parametrize(
    ("edit", "sentence"),
    [
        (
            edited("handlers/api/books.py", ", adapter_type=None", ""),
            "handlers/api/books.py: list_books does not take adapter_type, "
            "so adapterType is ignored",
        ),
        (
            edited("handlers/api/books.py", "token_info, slug", "token_info, slug, page"),
            "handlers/api/books.py: find_book takes page, which the contract does not have",
        ),
        (
            edited("handlers/api/operations.py", "import find_book,", "import burn, find_book,"),
            "handlers/api/operations.py: burn is no operation of the contract; take it out",
        ),
        (
            edited("tests/handlers/api/test_books.py", "&adapterType=rss", ""),
            "tests/handlers/api/test_books.py: nothing asks for /books with adapterType",
        ),
        (
            edited("tests/handlers/api/test_matrix.py", '"list_books"', '"lists"'),
            f"tests/handlers/api/test_matrix.py: list_books{NO_ROWS}",
        ),
        (
            edited("tests/storage/test_books.py", "page_books", ""),
            "tests/storage/test_books.py: nothing tests page_books",
        ),
        (
            edited("tests/storage/test_books.py", "get_book", ""),
            "tests/storage/test_books.py: nothing tests get_book",
        ),
    ],
)
def test_a_gap_is_told(checkout, edit, sentence):
    assert checkout(edits=edit) == [sentence]


def test_a_handler_that_is_not_exported_is_told(checkout):
    edit = {"handlers/api/operations.py": "from handlers.api.books import list_books"}

    assert checkout(edits=edit) == [
        "handlers/api/operations.py: import find_book and name it in __all__"
    ]


@pytest.mark.parametrize(
    ("name", "expected"), [("q", "q"), ("adapterType", "adapter_type"), ("X-Page", "x_page")]
)
def test_handlers_call_parameters_as_python_does(name, expected):
    assert argument(name) == expected


def test_a_field_that_no_code_names_is_told(tmp_path):
    (tmp_path / "handlers").mkdir()
    (tmp_path / "handlers" / "render.py").write_text('BOOK = {"title": 1, "pages": 2}  # price')
    book = {"properties": {"title": {}, "pages": {}, "price": {}}}

    assert unwritten_fields(tmp_path, {"components": {"schemas": {"Book": book}}}) == [
        "openapi/openapi.yaml: nothing gives price to Book; write it where the others are written"
    ]
    assert unwritten_fields(tmp_path, {"paths": {}}) == []
