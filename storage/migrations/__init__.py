"""Alembic's migrations, run by storage.engine.database.upgrade."""
