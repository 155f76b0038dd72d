"""The database: connections, dialects, column types, prepared statements."""
