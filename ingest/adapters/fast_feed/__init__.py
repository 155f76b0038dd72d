"""A faster reader for well-formed RSS and Atom documents."""
