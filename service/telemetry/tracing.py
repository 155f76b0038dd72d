"""Traces for OpenTelemetry: a span for each request and each check of a source.

Without CHANGEWIRE_OTLP_ENDPOINT spans are not recorded and cost next to nothing.
"""

from opentelemetry import propagate, trace
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.settings import Settings, WrongSettings
from service.telemetry.logs import without_secrets
from service.telemetry.request_labels import LabelOf

tracer = trace.get_tracer("changewire")


def set_up_traces(settings: Settings) -> None:
    """Send spans to the address of the settings, if there is one.

    Raises WrongSettings if the extra ``tracing`` is not installed. Its module is imported here
    because it is optional (docs/decisions/0018).
    """
    if settings.otlp_endpoint is None:
        return
    try:
        from service.telemetry.trace_export import export_traces
    except ImportError as error:
        raise WrongSettings(
            "CHANGEWIRE_OTLP_ENDPOINT: install what sends traces: pip install changewire[tracing]"
        ) from error
    export_traces(settings.otlp_endpoint)


class Traced:
    """ASGI middleware that gives each request a span, below the caller's (W3C Trace Context)."""

    def __init__(self, app: ASGIApp, label_of: LabelOf) -> None:
        self.app = app
        self.label_of = label_of

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle the request inside its span."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        label = self.label_of(scope["path"])
        with tracer.start_as_current_span(
            f"{scope['method']} {label}",
            context=propagate.extract(Headers(scope=scope)),
            kind=trace.SpanKind.SERVER,
            attributes={
                "http.request.method": scope["method"],
                "url.path": without_secrets(scope["path"]),
            },
        ) as span:

            async def send_noting_status(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await self.app(scope, receive, send_noting_status)
