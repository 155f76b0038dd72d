"""What anybody wrote is printed for operators: it is text, and stays in its place."""

import io
import json
from contextlib import redirect_stdout

from service.commands.output import print_json, print_table

HOSTILE = "[/x] [red]\x1b]0;owned\x07 \x9b31m :bomb:\nreq_2\tpending"
HARMLESS = "[/x] [red] ]0;owned 31m :bomb: req_2 pending"


class Terminal(io.StringIO):
    """A terminal in the place of stdout."""

    def isatty(self):
        return True


def test_a_cell_of_a_table_on_a_terminal_is_text(monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "xterm")

    with redirect_stdout(Terminal()) as terminal:
        print_table(("id", "note"), [("req_1", HOSTILE)])

    assert HARMLESS in terminal.getvalue()


def test_a_cell_makes_no_row_or_column_of_its_own(capsys):
    print_table(("id", "note"), [("req_1", HOSTILE)])

    assert capsys.readouterr().out == f"id\tnote\nreq_1\t{HARMLESS}\n"


def test_json_for_programs_holds_nothing_that_a_terminal_obeys(capsys):
    print_json({"note": HOSTILE})

    written = capsys.readouterr().out
    assert json.loads(written) == {"note": HOSTILE}
    assert written.replace("\n", "").isprintable()
