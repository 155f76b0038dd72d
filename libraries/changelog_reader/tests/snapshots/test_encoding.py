"""A snapshot as bytes: nothing is lost, and its hash stays what it is in databases."""

from hypothesis import given
from hypothesis import strategies as st

from changelog_reader.adapters.base import Block
from changelog_reader.snapshots.snapshot import Snapshot, SnapshotEntry, decode, encode

AWKWARD = 'He said "},{"id":"7" \\ \u2028 ‘é’ 🌍 \x00'
TEXTS = st.text(st.characters(codec="utf-8"), max_size=20) | st.just(AWKWARD)
ENTRIES = st.builds(
    SnapshotEntry,
    TEXTS,
    TEXTS,
    summary=st.none() | TEXTS,
    labels=st.sampled_from([(), ("New",), ('"},{"id":',)]),
    tag_name=st.none() | st.just("v1"),
    prerelease=st.none() | st.booleans(),
)
SNAPSHOTS = st.builds(
    Snapshot,
    st.lists(ENTRIES, max_size=12).map(tuple),
    st.sampled_from([(), (Block(("1.0",), AWKWARD),)]),
    st.just("rss-1/1"),
)


@given(SNAPSHOTS)
def test_a_snapshot_is_read_back_as_it_was(snapshot):
    assert decode(encode(snapshot)[1]) == snapshot


def test_a_hash_is_what_it_is_in_databases():
    """With another hash the state of every source would look new."""
    entries = (
        SnapshotEntry(
            "7",
            "Release 7 ‘é’",
            "https://acme.example/7",
            "2026-05-07T09:00:00Z",
            'He said "},{"id":"7"',
            ("New",),
            "v7",
            False,
        ),
        SnapshotEntry("6", "Release 6"),
    )

    snapshot = Snapshot(entries, (Block(("1.0",), "Fixed"),), "rss-4/1")

    assert encode(snapshot)[0] == (
        "3b14d92db4af399b2b3ca2ab764c455f7172ecd549361e2f7093b2df33034f83"
    )
