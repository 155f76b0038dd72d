"""The daily file: fetched whole, in parts and not again; and the programs of docs/bulk.md."""

import re
import subprocess
import sys
from pathlib import Path

import duckdb
import httpx2
import pytest

from client import ApiError, Client, KeyMissing, UnexpectedAnswer, read_bulk

MANUAL = (Path(__file__).parents[2] / "docs" / "bulk.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"```python\n(.*?)```", MANUAL, re.DOTALL)
EVERYTHING, SELECTED = 480, 360


class Recorded(httpx2.HTTPTransport):
    """Notes the statuses of responses; the first body breaks off after ``cut`` bytes."""

    def __init__(self, cut=None):
        super().__init__()
        self.statuses, self.cut = [], cut

    def handle_request(self, request):
        """Pass it on."""
        response = super().handle_request(request)
        self.statuses.append(response.status_code)
        if self.cut is not None:
            cut, self.cut = self.cut, None
            response.stream = CutOff(response.stream, cut)
        return response


class CutOff(httpx2.SyncByteStream):
    """A body whose connection is lost."""

    def __init__(self, stream, size):
        self.stream, self.size = stream, size

    def __iter__(self):
        yield b"".join(self.stream)[: self.size]
        raise httpx2.ReadError("connection reset")

    def close(self):
        """End the connection."""
        self.stream.close()


@pytest.fixture
def whole(served, tmp_path):
    """The bytes of the file on the All plan."""
    file = tmp_path / "whole"
    with Client(served.url, served.keys["all"]) as client:
        client.bulk(file)
    return file.read_bytes()


@pytest.fixture
def fetch(served, tmp_path):
    """Fetch ``file``; gives it and the statuses."""

    def fetch(**options):
        transport = Recorded(**options)
        with Client(
            served.url, served.keys["all"], transport=transport, sleep=lambda _: None
        ) as client:
            return client.bulk(tmp_path / "file"), transport.statuses

    return fetch


@pytest.mark.parametrize(("plan", "count"), [("all", EVERYTHING), ("free", SELECTED)])
def test_every_entry_of_the_plan_is_in_it(served, tmp_path, plan, count):
    with Client(served.url, served.keys[plan]) as client:
        bulk = client.bulk(tmp_path / "file")
        followed = [entry for page in client.follow() for entry in page.entries]

    assert len(bulk) == count
    assert sorted(entry["id"] for entry in bulk) == sorted(entry["id"] for entry in followed)
    assert read_bulk(tmp_path / "file") == bulk


def test_a_lost_connection_is_gone_on_with(fetch, whole):
    bulk, statuses = fetch(cut=len(whole) // 2)

    assert statuses == [200, 206]
    assert bulk.file.read_bytes() == whole


@pytest.mark.parametrize("begun", [b"rubbish", "whole"])
def test_what_cannot_be_gone_on_with_is_fetched_anew(fetch, whole, tmp_path, begun):
    (tmp_path / "file.part").write_bytes(whole if begun == "whole" else begun)
    bulk, statuses = fetch()

    assert statuses[-1] == 200
    assert bulk.file.read_bytes() == whole


def test_what_is_current_is_not_fetched_again(fetch):
    first, _ = fetch()
    again, statuses = fetch()

    assert statuses == [304]
    assert again == first


def test_a_file_that_is_not_whole_says_so(fetch, whole):
    bulk, _ = fetch()
    bulk.file.write_bytes(whole[:-100])

    with pytest.raises(UnexpectedAnswer):
        list(bulk)


def test_errors_are_those_of_the_client(served, scripted, tmp_path):
    with pytest.raises(KeyMissing):
        Client(served.url).bulk(tmp_path / "file")
    refusal = {
        "error": "No.",
        "code": "not_found",
        "message": "The bulk file has not been created yet.",
    }
    with pytest.raises(ApiError, match="bulk file"):
        Client(scripted((404, refusal)).url, "cw_1").bulk(tmp_path / "file")
    with pytest.raises(UnexpectedAnswer, match="did not send a file"):
        Client(scripted((200, {})).url, "cw_1").bulk(tmp_path / "file")


@pytest.mark.slow
def test_the_programs_of_the_manual_read_it(served, tmp_path, monkeypatch):
    with_client, with_pandas = PROGRAMS
    (queries,) = re.findall(r"```sql\n(.*?)```", MANUAL, re.DOTALL)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CHANGEWIRE_API_URL", served.url)
    monkeypatch.setenv("CHANGEWIRE_API_KEY", served.keys["all"])

    def run_program(code):
        return subprocess.check_output([sys.executable, "-c", code], text=True, timeout=60)

    assert run_program(with_client) == f"{EVERYTHING}\n"
    with duckdb.connect() as database:
        assert database.sql(queries).fetchall() == [("acme", 240), ("globex", 240)]
    assert re.findall(r"^(\w+) +(\d+)$", run_program(with_pandas), re.MULTILINE) == [
        ("acme", "240"),
        ("globex", "240"),
    ]
