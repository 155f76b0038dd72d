"""Logs hold no secrets (docs/operating.md)."""

import json
import logging
import os
import sys

import pytest
import structlog

from service.telemetry.logs import set_up_logs
from storage.people.credentials import new_key, new_token


@pytest.fixture(autouse=True)
def afterwards():
    """Leave the logs of other tests as they were."""
    yield
    structlog.reset_defaults()


@pytest.mark.parametrize("form", ["console", "json"])
def test_keys_and_tokens_are_redacted_wherever_they_are(capfd, form):
    set_up_logs(form, "debug")
    key, token = new_key(), new_token()

    path = f"/private/{token}/entries.atom"
    structlog.get_logger("x").info(f"sent {key}", header=key, more={"deep": [key]}, path=path)

    written = capfd.readouterr().err
    assert "cw_[redacted]" in written
    assert "/private/[redacted]/entries.atom" in written
    assert key not in written
    assert token not in written


def test_libraries_write_a_line_where_something_is_wrong_and_none_for_each_job_or_attempt(capfd):
    set_up_logs("json", "info")

    logging.getLogger("procrastinate.worker").info("Starting job look[1]")
    logging.getLogger("procrastinate.worker").error("Job look[1] ended with status: Error")
    logging.getLogger("psycopg.pool").warning("error connecting in 'pool-1'")
    logging.getLogger("procrastinate.utils").error("deferrer error: ConnectorException")

    (line,) = capfd.readouterr().err.splitlines()
    assert json.loads(line)["event"].startswith("Job look[1] ended")


def test_a_traceback_shows_no_values(capfd):
    set_up_logs("json", "debug")
    try:
        password = "hush" + "-hush"
        len(password) / 0
    except ZeroDivisionError as error:
        structlog.get_logger("x").error("failed", exc_info=error)

    written = capfd.readouterr().err
    assert json.loads(written)["exception"][0]["exc_type"] == "ZeroDivisionError"
    assert "hush-hush" not in written


def test_a_line_has_the_id_of_its_request(capfd):
    set_up_logs("json", "info")

    with structlog.contextvars.bound_contextvars(request_id="abc"):
        structlog.get_logger("x").info("said")
        logging.getLogger("library").warning("said")

    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    assert [line["request_id"] for line in lines] == ["abc", "abc"]


def test_a_line_that_cannot_be_written_is_lost_and_nothing_else(monkeypatch):
    monkeypatch.setattr(sys, "stderr", os.fdopen(os.open("/dev/full", os.O_WRONLY), "w"))
    set_up_logs("json", "info")

    structlog.get_logger("x").info("said")

    with pytest.raises(OSError, match="No space"):
        sys.stderr.close()
