"""Migrations, oldest first. Each is independent: it imports no code that may change."""
