"""A small whole service to inspect and to break: in process, or as a server on loopback."""
