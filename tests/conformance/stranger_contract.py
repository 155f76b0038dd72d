"""The contract of the stranger: written without references, and with /api/v1 in its paths."""

from typing import Any

_KEYS = [{"token": []}, {"keyInHeader": []}]
_TEXT = {"type": "string"}
_WHOLE = {"type": "integer"}
_LINK = {"type": "string", "format": "uri"}
_TIME = {"type": "string", "format": "date-time"}
_TAGS = {"type": "array", "items": _TEXT}


def contract() -> dict[str, Any]:
    """The document."""
    return {
        "openapi": "3.0.3",
        "info": {"title": "Changelogs", "version": "1.0.0"},
        "servers": [{"url": "/"}],
        "paths": {f"/api/v1{path}": item for path, item in _paths().items()},
        "components": {
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "keyInHeader": {"type": "apiKey", "in": "header", "name": "X-Api-Key"},
            }
        },
    }


def _paths() -> dict[str, Any]:
    texts = [_parameter(name, _TEXT) for name in ("vendor", "q", "kind")]
    adapters = ["rss", "atom", "html", "github_releases"]
    adapter = _parameter("adapterType", {"type": "string", "enum": adapters})
    selected = _parameter("selected", {"type": "string", "enum": ["1"]})
    filters = [
        *(_parameter(name, _TEXT) for name in ("vendor", "tag", "kind", "category", "q")),
        *(_parameter(name, _TIME) for name in ("since", "until")),
    ]
    future = _parameter("future", {"type": "string", "enum": ["1"]})
    page = {**_object({"total": _WHOLE}), "required": ["total", "items"]}
    limit, _ = _paging(100)
    feed = _object({"count": _WHOLE, "entries": _list(_entry())})
    return {
        "/sources": {
            "get": _operation([*texts, adapter, selected, *_paging(100)], page, 400, keys=[{}])
        },
        "/entries": {
            "get": _operation(
                [_parameter("sources", _TEXT, required=True), *filters, *_paging(200)],
                {**page, "properties": {"total": _WHOLE, "items": _list(_entry())}},
                400, 401, 403, 404, keys=_KEYS,
            )
        },
        "/diffs": {
            "get": _operation(
                [_parameter("source", _TEXT, required=True)], {"type": "object"},
                400, 401, 402, 403, 404, keys=_KEYS,
            )
        },
        "/changes": {
            "get": _operation(
                [*(_parameter(name, _TEXT) for name in ("sources", "after")), *filters, limit],
                _object({"items": _list({"type": "object"}), "next": _TEXT}),
                400, 401, 403, 404, keys=_KEYS,
            )
        },
        "/latest": {"get": _operation([*_paging(100), future], page, 400)},
        "/important": {"get": _operation(_paging(100), feed, 400)},
        "/sources/request": {"post": _request()},
    }  # fmt: skip


def _paging(most: int) -> list[dict[str, Any]]:
    limit = {"type": "integer", "minimum": 1, "maximum": most, "default": 50}
    offset = {"type": "integer", "minimum": 0, "default": 0}
    return [_parameter("limit", limit), _parameter("offset", offset)]


def _parameter(name: str, schema: dict[str, Any], *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}


def _operation(
    parameters: list[dict[str, Any]], body: dict[str, Any], *refusals: int, keys: Any = ()
) -> dict[str, Any]:
    responses = {"200": _response(body)} | {str(status): _error() for status in refusals}
    security = [*keys, *_KEYS] if keys == [{}] else list(keys)
    return {"parameters": parameters, "responses": responses, "security": security}


def _request() -> dict[str, Any]:
    email = {"type": "string", "format": "email"}
    body = _object({"url": _LINK, "name": _TEXT, "vendor": _TEXT, "note": _TEXT, "email": email})
    record = _object({"id": _TEXT, "status": _TEXT, "url": _TEXT, "message": _TEXT})
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {**body, "required": ["url"]}}},
        },
        "responses": {"201": _response(record), "400": _error(), "429": _error()},
    }


def _entry() -> dict[str, Any]:
    fields = {"id": _TEXT, "source": _TEXT, "vendor": _TEXT, "published_at": _TIME, "title": _TEXT,
              "url": _LINK, "tags": _TAGS}  # fmt: skip
    return {**_object(fields), "required": sorted(fields)}


def _error() -> dict[str, Any]:
    fields = {"error": _TEXT, "code": _TEXT, "message": _TEXT}
    return _response({**_object(fields), "required": sorted(fields)})


def _list(item: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": item}


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def _response(schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": "So.", "content": {"application/json": {"schema": schema}}}
