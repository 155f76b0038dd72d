"""Traces for OpenTelemetry: a span for each request and each check of a source.

Without CHANGEWIRE_OTLP_ENDPOINT spans are not recorded and cost next to nothing.
"""

from collections.abc import Callable

from opentelemetry import propagate, trace
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.settings import WrongSettings
from service.telemetry.logs import without_secrets

tracer = trace.get_tracer("changewire")


def set_up_traces(endpoint: str) -> None:
    """Send spans to an address. Raises WrongSettings where nothing is installed that sends them.

    The module that does is imported here because it is optional (docs/decisions/0076).
    """
    try:
        from service.telemetry.trace_export import export_traces
    except ImportError as error:
        advice = "install what sends traces: pip install changewire[tracing]"
        raise WrongSettings(f"CHANGEWIRE_OTLP_ENDPOINT: {advice}") from error
    export_traces(endpoint)


def traced(app: ASGIApp, label_of: Callable[[str], str]) -> ASGIApp:
    """Return an application that gives each request a span, below the caller's."""

    async def in_span(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]
        with tracer.start_as_current_span(
            f"{method} {label_of(path)}",
            context=propagate.extract(Headers(scope=scope)),
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": method, "url.path": without_secrets(path)},
        ) as span:

            async def send_noting_status(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await app(scope, receive, send_noting_status)

    return in_span
