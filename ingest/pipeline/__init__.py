"""One source, checked in stages: request, parse, process, store."""
