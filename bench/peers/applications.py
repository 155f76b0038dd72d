"""The applications that are compared, each on the database that BENCH_DATABASE names."""

import os

from peers.orm import DATABASE
from starlette.types import ASGIApp

NAMES = ("changewire", "fastapi", "connexion", "floor")


def application() -> ASGIApp:
    """Return the application that BENCH_APPLICATION names; only what it needs is imported."""
    name = os.environ["BENCH_APPLICATION"]
    if name == "changewire":
        os.environ["CHANGEWIRE_DATABASE_URL"] = f"sqlite:///{os.environ[DATABASE]}"
        os.environ["CHANGEWIRE_LOG"] = "json"
        from service.app import from_environment

        return from_environment()
    if name == "fastapi":
        from peers.fastapi_orm import app

        return app
    if name == "connexion":
        from peers import connexion_flask

        return connexion_flask.create()
    from peers import floor

    return floor.create()
