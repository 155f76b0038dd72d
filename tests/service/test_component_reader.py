"""Files of strangers are read in a child that can be killed."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from package_versions.component import Unreadable
from service.component_reader import component_reader

SLOW = b"# yarn lockfile v1\n" + b'a@1:\n  version "1.0.0"\n' * 450_000


def test_several_at_once_get_a_line_each_and_other_files_are_read(monkeypatch):
    for limit in ("CLOCK_SECONDS", "PATIENCE_SECONDS"):  # a busy machine is no fault
        monkeypatch.setattr(f"service.component_reader.{limit}", 300.0)
    read = component_reader(cpu_seconds=0.3)

    def said(document):
        try:
            return [it.name for it in read(document).components]
        except Unreadable as error:
            return str(error)

    with ThreadPoolExecutor(6) as threads:
        answers = [*threads.map(said, [*[SLOW] * 4, b"flask==3.1.3", b"{"])]

    assert answers[:4] == ["Reading this file takes more than 0.3 s."] * 4
    assert answers[4:] == [["flask"], "This is not valid JSON (line 1)."]


def test_memory_is_bounded():
    read = component_reader(memory_limit=300 * 1024 * 1024)
    large = b"# yarn lockfile v1\n" + b"\n" * 60_000_000

    with pytest.raises(Unreadable, match=r"memory|damaged"):
        read(large)
