"""GET /bulk: the file of a key, in whole and in parts, and who gets none."""

import io
from dataclasses import replace
from datetime import timedelta

import orjson
import pytest
from starlette.testclient import TestClient
from zstandard import ZstdDecompressor

from handlers.api.application import create_api
from openapi.vocabulary import Plan
from storage.bulk.writer import write_snapshot

HOUR = timedelta(hours=1)


@pytest.fixture
def bulk(services, tmp_path):
    """A client of an API that has the snapshot, if one was made."""
    api = create_api(replace(services, bulk=tmp_path))
    return TestClient(api, base_url="http://127.0.0.1:8080")


@pytest.fixture
def made(database, publish, tmp_path, now):
    """A snapshot of three sources."""
    for slug in ("acme.mail", "hooli.mail", "wonka.mail"):
        publish(slug, a=HOUR, b=2 * HOUR)
    return write_snapshot(database, tmp_path, now=now)


def lines_of(response):
    reader = ZstdDecompressor().stream_reader(io.BytesIO(response.content), read_across_frames=True)
    head, *entries = map(orjson.loads, reader.read().splitlines())
    return head["bulk"], entries


def sources_of(response):
    head, entries = lines_of(response)
    assert head["entries"] == len(entries)
    return sorted({entry["source"] for entry in entries})


def test_the_all_plan_gets_everything_and_where_to_go_on(bulk, client, new_key, made, publish):
    key = new_key(plan=Plan.ALL)
    response = bulk.get("/api/v1/bulk", headers=key)
    head, _ = lines_of(response)
    publish("acme.mail", c=HOUR)
    changes = client.get(f"/api/v1/changes?after={head['next']}", headers=key).json()["items"]
    told = bulk.head("/api/v1/bulk", headers=key)

    assert (told.content, told.headers["Content-Length"]) == (b"", str(len(response.content)))
    assert sources_of(response) == ["acme.mail", "hooli.mail", "wonka.mail"]
    assert [item["entry"]["title"] for item in changes] == ["c"]
    assert response.headers["Content-Type"] == "application/zstd"
    assert response.headers["ETag"] == f'"{head["id"]}"'


def test_a_selection_gets_what_changes_gives(bulk, client, new_key, made):
    key = new_key(Plan.FREE, sources=["acme.mail", "hooli.mail", "initech.mail"])

    of_changes = client.get("/api/v1/changes?limit=100", headers=key).json()["items"]

    assert lines_of(bulk.get("/api/v1/bulk", headers=key))[1] == sorted(
        (item["entry"] for item in of_changes),
        key=lambda entry: (entry["source"], entry["published_at"]),
    )


def test_sources_that_were_removed_are_not_in_it_any_more(bulk, new_key, made, remove):
    key = new_key(plan=Plan.ALL)
    before = bulk.get("/api/v1/bulk", headers=key)
    remove("hooli.mail")
    after = bulk.get("/api/v1/bulk", headers=key)

    assert sources_of(after) == ["acme.mail", "wonka.mail"]
    assert after.headers["ETag"] != before.headers["ETag"]


def test_what_is_had_already_is_not_sent_again(bulk, new_key, made):
    key = new_key(plan=Plan.ALL)
    etag = bulk.get("/api/v1/bulk", headers=key).headers["ETag"]
    again = bulk.get("/api/v1/bulk", headers=key | {"If-None-Match": etag})

    assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)


@pytest.mark.parametrize("wanted", ["10-", "5-99", "-7"])
def test_a_range_is_that_part(bulk, new_key, made, wanted):
    key = new_key(plan=Plan.ALL)
    whole = bulk.get("/api/v1/bulk", headers=key).content
    first, _, last = wanted.partition("-")
    part = slice(int(first), int(last) + 1 if last else None) if first else slice(-int(last), None)

    response = bulk.get("/api/v1/bulk", headers=key | {"Range": f"bytes={wanted}"})

    start, end, _ = part.indices(len(whole))
    assert (response.status_code, response.content) == (206, whole[part])
    assert response.headers["Content-Range"] == f"bytes {start}-{end - 1}/{len(whole)}"


@pytest.mark.parametrize(
    "headers", [{"Range": "bytes=0-5", "If-Range": '"another"'}, {"Range": "bytes=0-1,4-5"}]
)
def test_a_range_of_another_file_or_of_another_kind_gets_the_whole(bulk, new_key, made, headers):
    key = new_key(plan=Plan.ALL)

    assert bulk.get("/api/v1/bulk", headers=key | headers).status_code == 200


def test_a_range_behind_the_end_is_refused_with_the_size(bulk, new_key, made):
    key = new_key(plan=Plan.ALL)
    size = len(bulk.get("/api/v1/bulk", headers=key).content)
    response = bulk.get("/api/v1/bulk", headers=key | {"Range": f"bytes={size}-"})

    assert (response.status_code, response.headers["Content-Range"]) == (416, f"bytes */{size}")
    assert response.json()["code"] == "invalid_request"


def test_a_selection_larger_than_the_plan_is_refused(bulk, new_key, made, catalog, downgrade):
    key = new_key(Plan.STARTER, sources=catalog[:4])
    downgrade()

    assert bulk.get("/api/v1/bulk", headers=key).json()["code"] == "plan_limit_exceeded"
