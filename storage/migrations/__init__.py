"""Alembic's migrations, run by storage.database.upgrade."""
