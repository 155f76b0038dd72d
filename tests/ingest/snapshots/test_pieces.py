"""A state in pieces: one stream for whoever reads it, most of it kept when little changes."""

import zlib
from itertools import pairwise

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from snapshot_laws import content_hash, decode, encode

import ingest.snapshots.encoding as encoding
from ingest.adapters.base import Block
from ingest.snapshots.encoding import canonical, digest_of, entry_as_json, stored_state
from ingest.snapshots.pieces import cached_pieces, compressed
from ingest.snapshots.snapshot import Snapshot, SnapshotEntry

AWKWARD = 'He said "},{"id":"7" \\ \u2028 ‘é’ 🌍 \x00'
ENTRIES = st.builds(
    SnapshotEntry,
    st.text(st.characters(codec="utf-8"), max_size=20) | st.just(AWKWARD),
    st.text(st.characters(codec="utf-8"), max_size=20) | st.just(AWKWARD),
    summary=st.none() | st.just(AWKWARD) | st.text(st.characters(codec="utf-8"), max_size=50),
    labels=st.sampled_from([(), ("New",), ('"},{"id":',)]),
    tag_name=st.none() | st.just("v1"),
    prerelease=st.none() | st.booleans(),
)
SNAPSHOTS = st.builds(
    Snapshot,
    st.lists(ENTRIES, max_size=12, unique_by=lambda entry: entry.id).map(tuple),
    st.sampled_from([(), (Block(("1.0",), AWKWARD),)]),
    st.just("rss-1/1"),
)


def long_state(*numbers):
    """Return a state of entries that are long together."""
    return Snapshot(
        tuple(
            SnapshotEntry(
                str(number),
                f"Release {number}",
                summary=f"What is new in {number}: " + "word " * 200,
            )
            for number in numbers
        ),
        (),
        "rss-1/1",
    )


def in_one_go(snapshot):
    """Return the canonical JSON as it is told: one object, its names in order."""
    return orjson.dumps(
        {
            "entries": [entry_as_json(entry) for entry in snapshot.entries],
            "blocks": [{"heading": block.heading, "text": block.text} for block in snapshot.blocks],
            "parser_version": snapshot.parser_version,
        },
        option=orjson.OPT_SORT_KEYS,
    )


def test_a_long_state_is_one_stream_of_canonical_json():
    state = long_state(*range(300))

    assert len(canonical(state)) > 1
    assert zlib.decompress(encode(state)) == in_one_go(state)
    assert decode(encode(state)) == state


def test_a_short_state_is_compressed_as_one_piece():
    state = long_state(1, 2, 3)

    assert encode(state) == zlib.compress(in_one_go(state), level=4)
    assert stored_state(encode(state)).pieces == {}


@given(SNAPSHOTS)
def test_pieces_make_the_same_json_whatever_is_said(state):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_LONG", 0)
        patch.setattr(encoding, "_ONE_IN", 2)

        assert b"".join(canonical(state)) == in_one_go(state)
        assert decode(encode(state)) == state
        assert b"".join(canonical(state, stored_state(encode(state)))) == in_one_go(state)


@given(SNAPSHOTS, SNAPSHOTS)
def test_what_is_known_changes_nothing_in_what_is_written(before, after):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_LONG", 0)
        patch.setattr(encoding, "_ONE_IN", 2)
        known = stored_state(encode(before))
        kept = {entry.id: entry for entry in known.snapshot.entries if entry in after.entries}
        entries = tuple(kept.get(entry.id, entry) for entry in after.entries)
        pieces = canonical(Snapshot(entries, after.blocks, after.parser_version), known)

        assert compressed(pieces, known.pieces) == encode(after)
        assert digest_of(pieces) == content_hash(after)


def test_when_one_entry_is_new_most_pieces_are_those_before():
    known = stored_state(encode(long_state(*range(1000, 0, -1))))

    pieces = canonical(long_state(*range(1001, 1, -1)))

    assert len(known.pieces) > 6
    assert len(set(pairwise(pieces)) - known.pieces.keys()) <= 3


def test_what_is_stored_is_in_the_pieces_that_any_release_cuts():
    """Change this only with what tells stored states apart: their pieces are taken over."""
    pieces = canonical(long_state(*range(300)))

    assert [int(piece.split(b'"', 4)[3]) for piece in pieces[1:]] == [
        37,
        49,
        162,
        197,
        218,
        266,
        293,
    ]


def test_a_state_of_another_release_is_read_and_nothing_is_known_of_it():
    state = long_state(*range(300))

    known = stored_state(zlib.compress(in_one_go(state), level=4))

    assert known.snapshot == state
    assert known.pieces == {}


def test_bytes_that_look_like_the_end_of_a_piece_make_nothing_known():
    pieces = [b"a" * 500, b"b" * 500]
    stream = compressed(pieces, {})

    assert set(cached_pieces(pieces, stream)) == {(b"", pieces[0]), (pieces[0], pieces[1])}
    assert cached_pieces(pieces, stream[:6] + b"\x00\x00\xff\xff" + stream[6:]) == {}
    assert cached_pieces(pieces[:1], stream) == {}
