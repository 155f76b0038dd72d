"""A small whole service to look at and to break: in process, or as a server on loopback."""
