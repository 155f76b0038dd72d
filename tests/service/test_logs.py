"""Logs hold no secrets (docs/operating.md)."""

import json
import logging

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
def test_a_key_is_redacted_wherever_it_stands(capfd, form):
    set_up_logs(form, "debug")
    key = new_key()

    structlog.get_logger("x").info(f"sent {key}", header=key, more={"deep": [key]})

    written = capfd.readouterr().err
    assert "cw_[redacted]" in written
    assert key not in written


@pytest.mark.parametrize("form", ["console", "json"])
def test_the_token_of_a_private_address_is_redacted_and_its_end_stays(capfd, form):
    set_up_logs(form, "debug")
    token = new_token()

    structlog.get_logger("x").info("request", path=f"/private/{token}/entries.atom")

    written = capfd.readouterr().err
    assert "/private/[redacted]/entries.atom" in written
    assert token not in written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("half \ud83d", "half \ud83d"),
        (2**70, 2**70),
        ({1: b"x"}, {"1": "b'x'"}),
        (None, None),
    ],
)
def test_any_value_makes_a_line_of_json(capfd, value, written):
    set_up_logs("json", "info")

    structlog.get_logger("x").info("said", value=value)

    assert json.loads(capfd.readouterr().err)["value"] == written


def test_the_queue_writes_a_line_where_something_is_wrong_and_none_for_each_job(capfd):
    set_up_logs("json", "info")

    logging.getLogger("procrastinate.worker").info("Starting job look[1]")
    logging.getLogger("procrastinate.worker").error("Job look[1] ended with status: Error")

    (line,) = capfd.readouterr().err.splitlines()
    assert json.loads(line)["level"] == "error"


def test_attempts_to_connect_again_are_not_written_one_by_one(capfd):
    set_up_logs("json", "info")

    logging.getLogger("psycopg.pool").warning("error connecting in 'pool-1'")
    logging.getLogger("procrastinate.utils").error("deferrer error: ConnectorException")

    assert capfd.readouterr().err == ""


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
