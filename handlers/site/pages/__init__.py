"""Pages that everybody may read, and the catalog for signed-in people."""
