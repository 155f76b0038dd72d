"""Files of strangers are read in a child that can be killed."""

import pytest

from components.component import Unreadable
from service.component_reader import ComponentReader


def test_a_file_is_read():
    parts = ComponentReader().read(b"flask==3.1.3\n-r more.txt")

    assert [(it.name, it.version) for it in parts.components] == [("flask", "3.1.3")]
    assert [(it.text, it.line) for it in parts.unread] == [("-r more.txt", 2)]


def test_what_cannot_be_read_has_its_line():
    with pytest.raises(Unreadable, match="This is no JSON"):
        ComponentReader().read(b"{")


def test_processor_time_is_bounded_and_the_next_file_is_read():
    reader = ComponentReader(cpu_seconds=0.3)
    slow = b"apiVersion: v2\nname: a\nd:\n" + b"- x\n" * 60_000

    with pytest.raises(Unreadable, match=r"more than 0.3 s"):
        reader.read(slow)
    assert reader.read(b"flask==3.1.3")


def test_memory_is_bounded():
    reader = ComponentReader(memory_limit=300 * 1024 * 1024)
    large = b"# yarn lockfile v1\n" + b"\n" * 60_000_000

    with pytest.raises(Unreadable, match=r"memory|damaged"):
        reader.read(large)
