"""The OpenAPI document: what FastAPI draws from the routes, with our errors for its own, and the event stream."""

from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter

from paneward.surfaces.http.routes import bodies

STREAM_PARAMETERS = [
    ("types", "query", "kinds of events, with commas between them", {"type": "string"}),
    ("agent", "query", "only events about this agent", {"type": "string"}),
    ("last_event_id", "query", "go on behind this seq", {"type": "integer", "minimum": 0}),
    ("Last-Event-ID", "header", "the same, as browsers send it", {"type": "integer", "minimum": 0}),
]


def document(api: FastAPI, stream: str) -> dict[str, Any]:
    if api.openapi_schema is None:
        found = get_openapi(title=api.title, version=api.version, description=api.description, routes=api.routes)
        for operation in (operation for path in found["paths"].values() for operation in path.values()):
            operation["responses"].pop("422", None)
        for name in ("HTTPValidationError", "ValidationError"):
            found.get("components", {}).get("schemas", {}).pop(name, None)
        found["components"]["schemas"] = dict(sorted({**found["components"]["schemas"], **_failure()}.items()))
        found["paths"][stream] = {"get": _stream_operation(found)}
        found["components"]["securitySchemes"] = {
            "token": {"type": "http", "scheme": "bearer"},
            "cookie": {"type": "apiKey", "in": "cookie", "name": "paneward-8474"},
        }
        found["security"] = [{"token": []}, {"cookie": []}]
        api.openapi_schema = found
    return api.openapi_schema


def _failure() -> dict[str, Any]:
    """What an error looks like, which the routes only name, with the types in it."""
    template = "#/components/schemas/{model}"
    schema = TypeAdapter(bodies.Failure).json_schema(ref_template=template, mode="serialization")
    return {**schema.pop("$defs"), bodies.Failure.__name__: schema}


def _stream_operation(found: dict[str, Any]) -> dict[str, Any]:
    errors = found["paths"]["/api/events"]["get"]["responses"]
    return {
        "summary": "Events as they happen",
        "description": "Server-sent events: `id` is the seq, `data` the event as JSON, with its `kind`. A `gap` event "
        "tells which seqs were not sent here: read them from `/api/events`.",
        "operationId": "event_stream",
        "parameters": [
            {"name": name, "in": place, "description": words, "required": False, "schema": schema}
            for name, place, words, schema in STREAM_PARAMETERS
        ],
        "responses": {
            "200": {"description": "The stream", "content": {"text/event-stream": {"schema": {"type": "string"}}}},
            **{status: errors[status] for status in ("400", "401", "403", "429")},
        },
    }
