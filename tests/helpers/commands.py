"""Commands of Changewire that run in this process."""

import os
import sys
from collections.abc import Callable
from unittest.mock import patch

import pytest

from service.cli import main

OF_TESTS = ("CHANGEWIRE_TEST_DATABASE", "CHANGEWIRE_CORPUS", "CHANGEWIRE_SEARCHES")


def commands(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int | str, str, str]]:
    """Give what runs a command: ``run("db", "check")`` returns exit status, stdout and stderr."""

    for name in OF_TESTS:
        monkeypatch.delenv(
            name, raising=False
        )  # a command warns of variables that it does not know

    def run(*arguments: str) -> tuple[int | str, str, str]:
        monkeypatch.setattr(sys, "argv", ["changewire", *arguments])
        status: int | str = 0
        with patch.dict(os.environ):  # a command sets variables for the processes that it starts
            try:
                main()
            except SystemExit as ended:
                status = ended.code or 0
        return status, *capfd.readouterr()

    return run
