"""Polite, bounded HTTP requests to vendors."""
