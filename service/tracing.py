"""Traces for OpenTelemetry: a span for each request and each look at a source.

Without CHANGEWIRE_OTLP_ENDPOINT there is nobody to tell, and a span costs next to nothing. With it
spans go there in batches, as OTLP over HTTP; that takes the extra ``tracing``.
"""

from importlib.metadata import version

from opentelemetry import propagate, trace
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from service.metrics import label_of
from service.settings import Settings, WrongSettings

tracer = trace.get_tracer("changewire")


def set_up_traces(settings: Settings) -> None:
    """Send spans to the address of the settings, if there is one.

    Raises WrongSettings when what it takes is not installed.
    """
    if settings.otlp_endpoint is None:
        return
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError as error:
        raise WrongSettings(
            "CHANGEWIRE_OTLP_ENDPOINT: install what sends traces: pip install changewire[tracing]"
        ) from error
    resource = Resource.create(
        {"service.name": "changewire", "service.version": version("changewire")}
    )
    provider = TracerProvider(resource=resource)
    exporter = OTLPSpanExporter(endpoint=f"{settings.otlp_endpoint}/v1/traces")
    provider.add_span_processor(BatchSpanProcessor(exporter))
    trace.set_tracer_provider(provider)


class Traced:
    """ASGI middleware that gives each request a span, below the caller's (W3C Trace Context)."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on inside its span."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        label = label_of(scope["path"])
        with tracer.start_as_current_span(
            f"{scope['method']} {label}",
            context=propagate.extract(Headers(scope=scope)),
            kind=trace.SpanKind.SERVER,
            attributes={"http.request.method": scope["method"], "url.path": scope["path"]},
        ) as span:

            async def noting(message: Message) -> None:
                if message["type"] == "http.response.start":
                    span.set_attribute("http.response.status_code", message["status"])
                await send(message)

            await self.app(scope, receive, noting)
