"""Alembic's migrations, one module each in versions/, run by storage.engine.database.upgrade."""
