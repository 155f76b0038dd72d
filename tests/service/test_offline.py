"""changewire up says when no vendor can be reached."""

import threading
from datetime import timedelta

import pytest
from filling import catalog_row
from sqlalchemy import update

from service.clock import clock
from service.commands import run
from storage.catalog.sources import save_sources
from storage.models import FetchFacts


@pytest.mark.parametrize(
    ("succeeded", "enough", "says"), [(False, 1, True), (False, 2, False), (True, 1, False)]
)
def test_it_is_said_where_all_first_checks_failed(
    database, monkeypatch, capsys, succeeded, enough, says
):
    monkeypatch.setattr(run, "OFFLINE_SECONDS", 0)
    monkeypatch.setattr(run, "ENOUGH", enough)
    soon = clock() + timedelta(minutes=1)
    with database.write() as session:
        save_sources(session, [catalog_row("acme.mail")])
        session.execute(
            update(FetchFacts).values(
                last_attempt_at=soon, last_success_at=soon if succeeded else None
            )
        )

    run.say_if_offline(database, threading.Event())

    assert ("No vendor can be reached" in capsys.readouterr().err) == says
