"""Migrations, oldest first. Each stands on its own: it imports nothing that goes on changing."""
