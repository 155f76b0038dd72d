"""The names under which requests are counted and traced."""

from functools import cache
from typing import Final

from openapi.contract import base_path, load_operations

PATH_LABELS: Final = (
    ("/static/", "static"),
    ("/rss/", "feeds"),
    ("/feeds/", "feeds"),
    ("/deadlines.ics", "feeds"),
    ("/healthz", "probes"),
    ("/readyz", "probes"),
    ("/metrics", "probes"),
)


def request_label(path: str) -> str:
    """Return the label of a request: one of a few, whatever the path."""
    label = _operation_labels().get(path)
    if label is not None:
        return label
    if path.startswith(f"{base_path()}/"):
        return "unknown"
    return next((label for start, label in PATH_LABELS if path.startswith(start)), "pages")


@cache
def _operation_labels() -> dict[str, str]:
    """Return the operationId by path, the first one where a path has several."""
    labels: dict[str, str] = {}
    for operation in load_operations():
        labels.setdefault(base_path() + operation.path, operation.operation_id)
    return labels
