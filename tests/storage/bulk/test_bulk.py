"""A snapshot and the changes after its number are all that is stored, whatever was written."""

import io
from datetime import timedelta
from random import Random

import orjson
import pytest
from sqlalchemy import select
from zstandard import ZstdDecompressor

from storage.bulk.download import download_of
from storage.bulk.snapshot import load_snapshot
from storage.bulk.writer import Interrupted, write_snapshot
from storage.catalog.removal import remove_sources
from storage.catalog.sources import every_slug, ids_of, save_sources
from storage.entries.change_log import read_change_log
from storage.entries.entry_writes import Edit, known_entries, save_entries
from storage.models import Entry, Source

EVERY = 10_000
SLUGS = tuple(f"acme.s{number}" for number in range(4))


@pytest.fixture
def write(database, now, make_row, learned):
    """Write something by chance: ``write(random)``: entries, an edit, a removal, a new source."""
    with database.write() as session:
        save_sources(session, [make_row(slug) for slug in SLUGS])

    def record(slug, name, title):
        return learned(name, title, len(name), source=slug, summary="é\n " + title)

    def write(random):
        slug, name = random.choice(SLUGS), str(random.randrange(5))
        what, title = random.choice("nnneeeer"), f"title {random.random()}"
        with database.write() as session:
            if what == "r":
                remove_sources(session, ids_of(session, [slug]).values(), now=now)
                return
            save_sources(session, [make_row(slug)])
            source_id = ids_of(session, [slug])[slug]
            known = known_entries(session, source_id, ids=[name], urls=())
            edited = [Edit(each, record(slug, name, title)) for each in known]
            new = [] if edited else [record(slug, name, title)]
            save_entries(session, source_id, new=new, edited=edited, now=now)

    return write


def stored(database):
    with database.read() as session:
        rows = session.execute(
            select(Source.slug, Entry.external_id, Entry.document).join(
                Source, Source.id == Entry.source_id
            )
        )
        return {(slug, name): orjson.loads(document) for slug, name, document in rows}


def lines_of(download, folder, start=0, end=None):
    with (folder / download.snapshot.file).open("rb") as file:
        return b"".join(download.read(file, start, download.size if end is None else end))


def entries_of(data):
    reader = ZstdDecompressor().stream_reader(io.BytesIO(data), read_across_frames=True)
    return [orjson.loads(line) for line in reader.read().splitlines()]


def joined(database, folder, number):
    """What a client has that reads the file and follows from its cursor."""
    snapshot = load_snapshot(folder)
    with database.read() as session:
        head, *entries = entries_of(
            lines_of(download_of(snapshot, f"{number:016x}", every_slug(session)), folder)
        )
        changes = read_change_log(session, int(head["bulk"]["next"], 16), limit=EVERY, sources=None)
    assert len(entries) == head["bulk"]["entries"]
    state = {(entry["source"], entry["id"]): entry for entry in entries}
    for change in changes.changes:
        entry = orjson.loads(change.document)
        place = (entry["source"], entry["id"])
        state.pop(place, None)
        if change.kind != "removed":
            state[place] = entry
    return state


@pytest.mark.parametrize("seed", range(12))
def test_file_and_changes_join_without_a_gap(database, write, tmp_path, now, seed):
    random = Random(seed)
    for _ in range(15):
        write(random)

    def meanwhile():
        for _ in range(random.randrange(3)):
            write(random)
        return False

    snapshot = write_snapshot(database, tmp_path, now=now, stopped=meanwhile)
    for _ in range(5):
        write(random)

    assert joined(database, tmp_path, snapshot.number) == stored(database)


def test_any_part_is_that_part_of_the_whole(database, write, tmp_path, now):
    random = Random(1)
    for _ in range(20):
        write(random)
    snapshot = write_snapshot(database, tmp_path, now=now)
    slugs = {frame.slug for frame in snapshot.frames[::2]}
    download = download_of(snapshot, "0" * 16, slugs)
    whole = lines_of(download, tmp_path)

    assert len(whole) == download.size
    assert {entry["source"] for entry in entries_of(whole)[1:]} == slugs
    for _ in range(100):
        start, end = sorted(random.randrange(download.size + 1) for _ in range(2))
        assert lines_of(download, tmp_path, start, end) == whole[start:end]


def test_a_new_one_takes_the_place_of_the_old_one(database, write, tmp_path, now):
    write(Random(2))
    first = write_snapshot(database, tmp_path, now=now)
    second = write_snapshot(database, tmp_path, now=now + timedelta(days=1))

    assert load_snapshot(tmp_path) == second != first
    assert {file.name for file in tmp_path.iterdir()} == {"bulk.json", second.file}


def test_one_that_is_stopped_leaves_the_old_one(database, write, tmp_path, now):
    write(Random(3))
    first = write_snapshot(database, tmp_path, now=now)
    with pytest.raises(Interrupted):
        write_snapshot(database, tmp_path, now=now + timedelta(days=1), stopped=lambda: True)

    assert load_snapshot(tmp_path) == first
    assert {file.name for file in tmp_path.iterdir()} == {"bulk.json", first.file}


def test_there_may_be_none(tmp_path):
    assert load_snapshot(tmp_path) is None
