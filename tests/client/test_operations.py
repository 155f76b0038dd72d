"""Every parameter of the contract is sent by the client, the tools and the terminal."""

import sys
from contextlib import suppress
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from client import Client
from client.operations import PublicListing
from openapi.contract import load_operations
from openapi.generation.types import is_flag, is_time
from service.cli import main
from service.tools.advice import ToolError
from service.tools.calls import CALLS
from service.tools.tool_list import TOOLS as TOOL_LIST

CURSOR, PAGE = "after", ("limit", "offset")
READING = [
    operation
    for operation in load_operations()
    if operation.method == "GET" and "application/json" in operation.responses[200].content
]
CELLS = [
    (operation, parameter)
    for operation in READING
    for parameter in operation.parameters
    if parameter.name != "format"  # clients read JSON
]
FOLLOWED = [
    (operation, parameter)
    for operation, parameter in CELLS
    for cursor in operation.parameters
    if cursor.name == CURSOR and parameter.name != CURSOR
]
CURSORS = ["0" * 16, "f" * 16]
EMPTY = {"total": 0, "items": [], "plan": "all"}


def cells(pairs):
    names = [f"{operation.operation_id}-{parameter.name}" for operation, parameter in pairs]
    return pytest.mark.parametrize(("operation", "parameter"), pairs, ids=names)


def method_name(operation):
    return operation.operation_id.removeprefix("list_").removeprefix("get_")


def value(parameter):
    """Return the example of a parameter as Python has it."""
    assert parameter.example, f"openapi/openapi.yaml: {parameter.name} has no example to send"
    if is_flag(parameter):
        return True
    if is_time(parameter):
        return datetime.fromisoformat(parameter.example)
    if parameter.type == "array":
        return parameter.example.split(",")
    return int(parameter.example) if parameter.type == "integer" else parameter.example


def arguments(operation, parameter):
    needed = [item for item in operation.parameters if item.required or item == parameter]
    return {item.python_name: value(item) for item in needed}


def sent(request):
    return {name: texts[0] for name, texts in parse_qs(urlsplit(request.path).query).items()}


def same(parameter, text):
    if is_time(parameter):
        return datetime.fromisoformat(text) == value(parameter)
    return text == parameter.example


@cells(CELLS)
def test_the_client_sends_it(scripted, operation, parameter):
    server = scripted((200, EMPTY))
    with Client(server.url, "cw_key") as client:
        found = getattr(client, method_name(operation))(**arguments(operation, parameter))
        if {item.name for item in operation.parameters}.issuperset(PAGE):
            found.first()

    (request,) = server.requests
    assert urlsplit(request.path).path == f"/api/v1{operation.path}"
    assert same(parameter, sent(request)[parameter.name]), (
        f"client/operations.py: {method_name(operation)} does not send {parameter.name}"
    )


@cells(FOLLOWED)
def test_the_client_sends_it_again_while_following(scripted, operation, parameter):
    pages = [
        (200, {"items": [], "next": cursor, "more": more})
        for cursor, more in zip(CURSORS, (True, False), strict=True)
    ]
    server = scripted(*pages)
    with Client(server.url, "cw_key", sleep=lambda _: None) as client:
        list(client.follow(**arguments(operation, parameter)))

    assert [sent(request).get(CURSOR) for request in server.requests] == [None, CURSORS[0]]
    for request in server.requests:
        assert same(parameter, sent(request)[parameter.name]), (
            f"client/operations.py: follow does not send {parameter.name}"
        )


def test_a_type_checker_knows_the_parameters_of_lists_of_entries():
    named = {item.python_name for each, item in CELLS if each.operation_id == "list_latest"}

    assert PublicListing.__annotations__.keys() == named - {"future"}  # an argument of its own


TOOLS = {
    "list_sources": "search_sources",
    "list_entries": "get_entries",
    "list_latest": "get_latest",
    "list_important": "get_important",
    "get_diffs": "get_diffs",
}
"""The tool of each operation. Agents keep no cursor between conversations, so none for changes."""
SCHEMAS = {name: tool.input_schema["properties"] for name, tool in TOOL_LIST.items()}
NOT_OFFERED = {
    ("list_sources", "adapterType"),
    ("list_sources", "kind"),
    ("list_sources", "selected"),
    ("list_sources", "health"),
    ("list_latest", "sources"),
    ("list_important", "sources"),
    ("list_latest", "future"),
    ("list_latest", "prerelease"),
    ("list_important", "prerelease"),
}
"""What tools leave out, each for the reason in service/tools/tools.toml."""


@cells([cell for cell in CELLS if cell[0].operation_id in TOOLS])
def test_the_tool_sends_it(scripted, operation, parameter):
    tool = TOOLS[operation.operation_id]
    if (operation.operation_id, parameter.name) in NOT_OFFERED:
        assert parameter.name not in SCHEMAS[tool]
        return
    assert parameter.name in SCHEMAS[tool], (
        f"service/tools/tools.toml: {tool} does not offer {parameter.name}"
    )
    needed = [item for item in operation.parameters if item.required or item == parameter]
    server = scripted((200, {**EMPTY, "offset": 0, "source": "a.b"}))
    given = {item.name: item.example if is_time(item) else value(item) for item in needed}
    with Client(server.url, "cw_key") as client, suppress(ToolError):
        CALLS[tool](client, given, datetime.now(UTC))

    request = server.requests[0]  # after an empty page it asks whether there is such a vendor
    assert same(parameter, sent(request)[parameter.name]), (
        f"service/tools/calls.py: {tool} does not send {parameter.name}"
    )


COMMANDS = {
    "list_entries": ["entries", "acme.compute"],
    "list_latest": ["entries", "--latest"],
    "list_important": ["entries", "--important"],
    "list_deadlines": ["deadlines"],
}
BY_HAND = {"limit", "offset", "sources"}
"""What the commands decide themselves, or take as words."""


@cells([cell for cell in CELLS if cell[0].operation_id in COMMANDS and cell[1].name not in BY_HAND])
def test_the_terminal_sends_it(scripted, monkeypatch, tmp_path, capfd, operation, parameter):
    monkeypatch.chdir(tmp_path)
    option = f"--{parameter.python_name.strip('_').replace('_', '-')}"
    texts = [] if is_flag(parameter) else [parameter.example]
    server = scripted((200, {**EMPTY, "offset": 0}))
    where = ["--url", server.url, "--api-key", "cw_key"]
    command = ["changewire", *COMMANDS[operation.operation_id], *where, option, *texts]
    monkeypatch.setattr(sys, "argv", command)
    with pytest.raises(SystemExit) as ended:
        main()

    assert ended.value.code in (None, 0), (
        f"service/commands/entries.py: {command[1]} does not take {option}"
    )
    (request,) = server.requests
    assert same(parameter, sent(request)[parameter.name])
