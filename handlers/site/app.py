"""The Flask application: its blueprints, and what every answer of it carries."""

from flask import Flask, Response, current_app, request

from handlers.context import Context
from handlers.site.documents import documents
from handlers.site.rss import feeds

SERVICES = "changewire"
FOREIGN_READERS = ("/openapi.", "/rss/", "/.well-known/")


def create_site(services: Context, *, secret_key: str) -> Flask:
    """Return the Flask application; ``secret_key`` signs CSRF tokens."""
    site = Flask("handlers.site")
    site.config.update(SECRET_KEY=secret_key, JSON_SORT_KEYS=False)
    site.extensions[SERVICES] = services
    site.register_blueprint(documents)
    site.register_blueprint(feeds)
    site.after_request(finish)
    return site


def site_services() -> Context:
    """Return the services of the application that answers now."""
    services = current_app.extensions[SERVICES]
    assert isinstance(services, Context)
    return services


def finish(response: Response) -> Response:
    """Add a validator to what may be asked for again, and the headers that browsers obey."""
    if request.method in ("GET", "HEAD") and response.status_code == 200:
        response.add_etag()
        response.make_conditional(request)
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if request.path.startswith(FOREIGN_READERS):
        response.headers["Access-Control-Allow-Origin"] = "*"
    return response
