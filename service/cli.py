"""The command line: ``changewire COMMAND``."""

import gc
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

UNPARSED: Final = {
    ("ingest",): "sweeping.ingest_due",
    ("ingest", "--all"): "sweeping.ingest_all",
}
"""Arguments that are run as they are. Loading what parses others takes as long as 200 looks."""

YOUNG_OBJECTS: Final = 20_000
"""New objects between two looks for rubbish; Python's 700 are for programs that make few."""


def _reported() -> tuple[type[Exception], ...]:
    """Return the failures that are one message, loaded once there is one."""
    from ingest.catalog import UnreadableCatalog
    from service.commands.shared import CommandFailed
    from service.server import PortTaken
    from service.settings import WrongSettings
    from storage.engine.database import DatabaseUnavailable

    return CommandFailed, DatabaseUnavailable, PortTaken, UnreadableCatalog, WrongSettings


def _load_structlog_alone() -> None:
    """Load structlog without rich, whose tracebacks it would load although we write our own."""
    if "structlog" in sys.modules or "rich" in sys.modules:
        return
    absent: dict[str, Any] = {"rich": None}  # what the import system takes for not installed
    sys.modules.update(absent)
    try:
        import_module("structlog")
    finally:
        del sys.modules["rich"]


def _loaded(arguments: tuple[str, ...]) -> Callable[[], None]:
    """Return what to run: what timers run needs nothing that reads and explains arguments."""
    place = UNPARSED.get(arguments)
    if place is not None:
        module, _, function = place.partition(".")
        command: Callable[[], None] = getattr(import_module(f"service.commands.{module}"), function)
        return command
    from service.command_line import asked_for, command_line

    return command_line(asked_for(arguments))


def _is_text(argument: str) -> bool:
    """Tell whether an argument came in UTF-8; the bytes of another one are half characters."""
    return not any("\ud800" <= each <= "\udfff" for each in argument)


def main() -> None:
    """Run a command; a reported failure is one clear message on stderr and exit status 1."""
    _load_structlog_alone()
    gc.disable()  # looking for rubbish in what is loaded and stays takes a tenth of the start
    try:
        command = _loaded(tuple(sys.argv[1:]))
        gc.freeze()
        gc.set_threshold(YOUNG_OBJECTS, 20, 20)
        gc.enable()
        command()
    except KeyboardInterrupt:
        sys.exit(130)  # as shells tell it
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except UnicodeEncodeError:
        if all(map(_is_text, sys.argv)):
            raise
        sys.stderr.write("changewire: An argument is no text in UTF-8.\n")
        sys.exit(2)
    except Exception as error:  # what a command ends with is none, so nothing is loaded for it
        if not isinstance(error, _reported()):
            raise
        sys.stderr.write(f"changewire: {error}\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
