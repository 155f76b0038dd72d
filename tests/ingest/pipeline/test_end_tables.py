"""A page whose table tells what ends: rows have deadlines, and days that move are told."""

from datetime import date, timedelta

from specimen.checks import check_now

from ingest.pipeline.ingestion import Ingestion
from openapi.vocabulary import AdapterType
from storage.entries.deadlines import coming_deadlines
from storage.models import Entry


def page(*rows):
    table = "".join(f"<tr><td>{'</td><td>'.join(row.split(' | '))}</td></tr>" for row in rows)
    return f"<html><title>Model deprecations</title><table>{table}</table></html>".encode()


def test_rows_without_a_date_of_their_own_have_deadlines_and_a_day_that_moves_is_told(
    database, make_client, parsers, site, now, add_source, rows
):
    site.reply("/robots.txt", status=404)
    source_id, client = add_source("/log", AdapterType.HTML), make_client()
    header, other = "Model | Shutdown date | Replacement", "lyra-2 | TBD | -"
    for days, day in enumerate(("2027-06-01", "2027-09-01")):
        site.reply("/log", body=page(header, f"lyra-1 | {day} | lyra-3", other))
        at = now + timedelta(days=days)
        check_now(Ingestion(database, client, parsers, now=lambda at=at: at), source_id)

    with database.read() as session:
        (deadline,) = coming_deadlines(session, now=at, most=10)
    assert {entry.title for entry in rows(Entry)} == {"lyra-1", "lyra-2"}
    assert (deadline.subject, deadline.successor) == ("lyra-1", "lyra-3")
    assert deadline.last_day == date(2027, 9, 1)
    assert deadline.replaced == ((date(2027, 6, 1), date(2027, 6, 1)),)
