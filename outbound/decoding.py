"""Content as it was before it was coded (RFC 9110 §8.4): gzip, deflate and br.

It comes in pieces of a bounded size, however much is packed into a few bytes.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import Final

from outbound.exchange import Fields
from outbound.faults import BadCoding

_MOST: Final = 2**20  # bytes of a piece
_BROKEN: Final = "The content coding is broken."
_CUT: Final = "The content ends before it is whole."


def decoded(fields: Fields, pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Return content decoded as its header fields say, in pieces.

    Raises BadCoding where it is not coded like this, more than once, or cut off.
    """
    named = [value for name, value in fields if name.lower() == b"content-encoding"]
    coding = b",".join(named).strip().lower()
    if coding in {b"", b"identity"}:
        return pieces
    decoder = _DECODERS.get(coding)
    if decoder is None:
        raise BadCoding("The coding is not known.")
    return decoder(filter(None, pieces))


def _gunzipped(pieces: Iterator[bytes]) -> Iterator[bytes]:
    return _inflated(pieces, 16 + zlib.MAX_WBITS)


def _undeflated(pieces: Iterator[bytes]) -> Iterator[bytes]:
    return _inflated(pieces, zlib.MAX_WBITS)


def _inflated(pieces: Iterator[bytes], window: int) -> Iterator[bytes]:
    inflater = None
    for each in pieces:
        piece = each
        while piece:
            if inflater is None:
                # Some servers leave out the header of RFC 1950, whose first byte ends in 8.
                is_bare = window == zlib.MAX_WBITS and piece[0] & 15 != 8
                inflater = zlib.decompressobj(-window if is_bare else window)
            elif inflater.eof:
                if piece[:2] not in (b"\x1f", b"\x1f\x8b"):
                    break  # padding, and no further member of RFC 1952 §2.2
                inflater = zlib.decompressobj(window)
            try:
                yield inflater.decompress(piece, _MOST)
            except zlib.error as error:
                raise BadCoding(_BROKEN) from error
            piece = inflater.unconsumed_tail or inflater.unused_data
    if inflater is None:
        return
    try:
        yield inflater.flush()
    except zlib.error as error:
        raise BadCoding(_BROKEN) from error
    if not inflater.eof:
        raise BadCoding(_CUT)


def _unbrotlied(pieces: Iterator[bytes]) -> Iterator[bytes]:
    import brotli

    decoder = brotli.Decompressor()
    is_begun = False
    for each in pieces:
        piece, is_begun = each, True
        try:
            while found := decoder.process(piece, output_buffer_limit=_MOST // 2):
                yield found
                piece = b""
        except brotli.error as error:
            raise BadCoding(_BROKEN) from error
    if is_begun and not decoder.is_finished():
        raise BadCoding(_CUT)


_DECODERS: Final[dict[bytes, Callable[[Iterator[bytes]], Iterator[bytes]]]] = {
    b"gzip": _gunzipped,
    b"deflate": _undeflated,
    b"br": _unbrotlied,
}
