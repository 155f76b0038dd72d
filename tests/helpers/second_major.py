"""Handlers of a made-up version 2.0.0 of the API, in which diffs do not name the adapter."""

import orjson
from starlette.responses import Response

from handlers.api import operations
from handlers.api.operations import *  # noqa: F403 - all others are those of version 1
from handlers.http.auth import Caller
from openapi.queries import GetDiffs


def get_diffs(query: GetDiffs, caller: Caller) -> Response:
    """Answer GET /diffs without adapterType."""
    response = operations.get_diffs(query, caller)
    page = orjson.loads(bytes(response.body))
    del page["adapterType"]
    return Response(orjson.dumps(page), media_type=response.media_type)
