"""The database: models, migrations, and what is read and written."""
