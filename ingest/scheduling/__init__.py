"""When a source is checked next, and how healthy it is. Pure."""
