"""The whole service as one ASGI application, assembled from the settings."""

import gc
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from a2wsgi import WSGIMiddleware
from starlette.applications import Starlette
from starlette.types import ASGIApp, Receive, Scope, Send

from handlers.api.application import create_api
from handlers.context import Context, Offer
from handlers.http.compression import Compression
from handlers.http.guard import PROBES, Guard, RequestPolicy
from handlers.http.limiter import Limiter, costs_of
from handlers.majors import Major, shipped_major
from handlers.site.account.stack import PROPOSALS_PATH, STACK_PATH
from handlers.site.app import create_site
from handlers.site.error_pages import guard_pages
from handlers.waiters import Waiters
from openapi.contract import operations_of
from openapi.vocabulary import Plan
from service.addresses import ascii_host
from service.clock import clock
from service.component_reader import component_reader
from service.connections import draining, watch_connections
from service.database import database_of
from service.mail import mailer_for
from service.secret_key import secret_key, use_secret_box
from service.settings import Settings, check_jail, load_settings
from service.signals import exit_with_parent, exit_without_teardown
from service.source_health import judge
from service.telemetry import metrics
from service.telemetry.logs import set_up_logs
from service.telemetry.tracing import set_up_traces, traced
from service.tools.mount import METADATA_PATH, PATH, LateTools
from storage.engine.database import Database, require_current

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})  # as Host names them
SITE_THREADS = 32
SWITCH_SECONDS = 0.001
"""How long a thread that computes keeps the interpreter from another: a fifth of Python's own."""
UPLOAD_BYTES = 8 * 1024 * 1024  # a lockfile
TOOLS = frozenset({PATH, METADATA_PATH})


def dispatcher(
    apis: Mapping[str, ASGIApp],
    site: ASGIApp,
    probes: Mapping[str, ASGIApp],
    counters: ASGIApp,
    make_tools: Callable[[], Starlette],
) -> ASGIApp:
    """Return the application that gives /api/v1 to the API and most other paths to Flask.

    ``apis``: by base path, a major version each; lifespan events go to the first. ``make_tools``:
    the application of /mcp can be started once, so each lifespan has its own. ``probes``: the
    pages with a thread for each path, so that a probe waits for no page, and none for another.
    """
    tools: LateTools | None = None
    others = {**probes, metrics.PATH: counters}

    async def dispatch(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal tools
        if scope["type"] == "lifespan":
            await next(iter(apis.values()))(scope, receive, send)
            if tools is not None:
                await tools.stop()
            tools = None
            return
        path = scope["path"]
        app = others.get(path, site)
        if path in TOOLS:
            app = tools = tools or LateTools(make_tools)
        app = next((api for base, api in apis.items() if f"{path}/".startswith(f"{base}/")), app)
        await app(scope, receive, send)

    return dispatch


def offer_of(settings: Settings) -> Offer:
    """Return the operator's plans and texts."""
    checkout = {
        Plan.STARTER.value: settings.checkout_starter,
        Plan.ALL.value: settings.checkout_all,
        "diffs": settings.checkout_diffs,
    }
    files = {
        "terms": settings.terms_file,
        "privacy": settings.privacy_file,
        "contact": settings.contact_file,
    }
    return Offer(
        settings.currency,
        {name: address for name, address in checkout.items() if address is not None},
        {name: file.read_text(encoding="utf-8") for name, file in files.items() if file},
    )


def policy_of(settings: Settings, majors: tuple[Major, ...]) -> RequestPolicy:
    """Return what requests may be: lockfiles are larger than all else."""
    hosts = LOOPBACK | {ascii_host(settings.site_host), *settings.allowed_hosts}
    policy = RequestPolicy(hosts, larger=dict.fromkeys((STACK_PATH, PROPOSALS_PATH), UPLOAD_BYTES))
    limits = {
        major.base_path + operation.path: operation.body_limit
        for major in majors
        for operation in operations_of(major.contract)
        if operation.body_limit is not None and operation.body_limit > policy.body_bytes
    }
    return replace(policy, larger={**policy.larger, **limits})


def create_app(
    settings: Settings,
    database: Database,
    *,
    waiters: Waiters | None = None,
    record: metrics.ApiRecord | None = None,
    majors: tuple[Major, ...] | None = None,
) -> ASGIApp:
    """Return the whole service over an open database at this program's revision.

    ``majors``: the major versions of the API, the one at ``/openapi.json`` first; without them the
    shipped one. ``record`` counts what the API answers.
    """
    majors = majors or (shipped_major(),)
    services = _services(settings, database, waiters or Waiters(), majors)
    before = settings.secret_key_before
    site = create_site(
        services,
        secret_key=secret_key(settings),
        secret_key_before=before.get_secret_value() if before else None,
    )
    policy = policy_of(settings, majors)
    wsgi_app: Any = site.wsgi_app  # a2wsgi has its own types of WSGI and ASGI
    pages: Any = WSGIMiddleware(wsgi_app, workers=SITE_THREADS)
    probes: Any = {path: WSGIMiddleware(wsgi_app, workers=1) for path in PROBES}
    apis = {
        major.base_path: create_api(replace(services, majors=(major, *majors))) for major in majors
    }

    def make_tools() -> Starlette:
        from service.tools.http import tools_over_http  # half a second, and 40 MB

        return tools_over_http(services, apis[majors[0].base_path], hosts=policy.hosts, now=clock)

    counters = metrics.metrics_page(settings, database)
    dispatch = dispatcher(apis, pages, probes, counters, make_tools)
    label_of = metrics.request_labels(*(major.contract for major in majors))

    def count(method: str, path: str, status: int | None, seconds: float) -> None:
        metrics.count_request(method, label_of(path), status, seconds)
        if record is not None:
            record.count(path, status)

    units = settings.request_units // settings.server_processes
    limiter = Limiter(costs_of(majors), trusted_proxies=settings.trusted_proxies, units=units)
    app: ASGIApp = Guard(Compression(dispatch), policy, count, limiter, guard_pages(site))
    return app if settings.otlp_endpoint is None else traced(app, label_of)


def _services(
    settings: Settings, database: Database, waiters: Waiters, majors: tuple[Major, ...]
) -> Context:
    return Context(
        db=database,
        now=clock,
        judge=judge,
        site_url=settings.site_url,
        trusted_proxies=settings.trusted_proxies,
        send_mail=mailer_for(settings, metrics.count_mail),
        webhook_allow=settings.webhook_allow,
        bulk=settings.bulk,
        waiters=waiters,
        majors=majors,
        offer=offer_of(settings),
        read_components=component_reader(),
        looks_up=settings.package_index is not None,
        outbox=None if settings.smtp_url or settings.is_public else settings.outbox,
    )


def from_environment() -> ASGIApp:
    """Return the service as a server process builds it: settings from the environment."""
    sys.setswitchinterval(SWITCH_SECONDS)
    exit_with_parent()
    exit_without_teardown()  # before other exit handlers, which it must follow
    settings = load_settings()
    set_up_logs(settings.log, settings.log_level)
    if settings.otlp_endpoint is not None:
        set_up_traces(settings.otlp_endpoint)
    check_jail(settings)
    database = database_of(settings)
    require_current(database)
    use_secret_box(settings, database)
    waiters = Waiters()
    record = metrics.ApiRecord(database, clock)
    threading.Thread(target=record.run, name="api record", daemon=True).start()
    watch_connections(settings.trusted_proxies)
    app = create_app(settings, database, waiters=waiters, record=record)
    gc.collect()
    gc.set_threshold(20_000, 20, 20)  # a page has a thousand objects and no garbage
    gc.freeze()  # else all threads stop while the collector goes through it (docs/decisions/0199)
    return draining(app, waiters)
