"""Compressed text in pieces, so that what stays the same is not compressed again.

All of it is one zlib stream (RFC 1950) that whoever knows zlib reads. Each piece is compressed for
itself and ends at a byte, so the pieces of another text can take their places in it.
"""

import zlib
from collections.abc import Mapping, Sequence
from typing import Final

LEVEL: Final = 4
"""How hard zlib tries: at 6 feeds take 4 % less room and twice the time."""
_HEADER: Final = b"\x78\x5e"  # of a stream of this level (RFC 1950 §2.2)
_END_OF_PIECE: Final = b"\x00\x00\xff\xff"  # an empty block, as zlib's full flush leaves it
_END: Final = b"\x03\x00"  # the last block, empty (RFC 1951 §3.2.6)


def compressed(pieces: Sequence[bytes], known: Mapping[bytes, bytes]) -> bytes:
    """Return the pieces as one stream; ``known`` are pieces that were compressed before."""
    text = b"".join(pieces)
    if len(pieces) == 1:
        return zlib.compress(text, level=LEVEL)
    made = [known.get(each) or _compressed_piece(each) for each in pieces]
    return b"".join((_HEADER, *made, _END, zlib.adler32(text).to_bytes(4, "big")))


def known_pieces(pieces: Sequence[bytes], stream: bytes) -> dict[bytes, bytes]:
    """Return what ``compressed`` made of each piece in a stream of all of them.

    Nothing of a stream that is not made so, or whose bytes look like the end of a piece elsewhere.
    """
    *made, end = stream[len(_HEADER) :].split(_END_OF_PIECE)
    if len(made) != len(pieces) or not end.startswith(_END):
        return {}
    return {piece: each + _END_OF_PIECE for piece, each in zip(pieces, made, strict=True)}


def _compressed_piece(piece: bytes) -> bytes:
    deflate = zlib.compressobj(LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
    return deflate.compress(piece) + deflate.flush(zlib.Z_FULL_FLUSH)
