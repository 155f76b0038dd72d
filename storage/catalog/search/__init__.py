"""Search in the catalog: the same order on every database, for it is decided here."""
