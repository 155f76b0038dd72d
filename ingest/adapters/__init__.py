"""One module an adapter type: bytes in, entries out."""
