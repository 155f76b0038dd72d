"""Copies of everything from one database into another, on SQLite or PostgreSQL."""
