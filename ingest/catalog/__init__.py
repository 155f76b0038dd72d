"""The shipped catalog of sources and its reader."""
