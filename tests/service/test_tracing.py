"""Traces: a span for each request and each look, sent to a real receiver on loopback."""

import time

import httpx2
import pytest
from connexion_passages import observed_servers
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from specimen.listener import Handler, Listener
from specimen.serving import serve
from specimen.site import make_site, the_time

pytestmark = pytest.mark.slow

TRACE_ID = "4bf92f3577b34da6a3ce929d0e0e4736"
SOON = {"OTEL_BSP_SCHEDULE_DELAY": "100"}  # milliseconds


@pytest.fixture
def receiver():
    """A collector: gives its address and the spans that came."""
    spans = []

    class Collector(Handler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    spans.extend(scope.spans)
            self.respond(200)

    listener = Listener(Collector)
    yield listener.url, spans
    listener.close()


def attributes(span):
    return {
        attribute.key: attribute.value.string_value or attribute.value.int_value
        for attribute in span.attributes
    }


def wait_for(spans, name):
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = [span for span in spans if span.name == name]
        if found:
            return found[0]
        time.sleep(0.05)
    raise AssertionError(f"no span {name} in {[span.name for span in spans]}")


def test_a_request_is_a_span_of_the_callers_trace(receiver, tmp_path):
    address, spans = receiver
    site = make_site(tmp_path, now=the_time())
    settings = {"CHANGEWIRE_OTLP_ENDPOINT": address, **SOON}
    with (
        observed_servers(tmp_path) as observed,
        serve(site.url, tmp_path, settings | observed) as url,
    ):
        parent = f"00-{TRACE_ID}-00f067aa0ba902b7-01"
        httpx2.get(f"{url}/api/v1/latest?limit=1", headers={"traceparent": parent})
        span = wait_for(spans, "GET list_latest")

    assert span.trace_id.hex() == TRACE_ID
    assert attributes(span) == {
        "http.request.method": "GET",
        "url.path": "/api/v1/latest",
        "http.response.status_code": 200,
    }
