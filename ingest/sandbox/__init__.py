"""Parsers in child processes that can be killed."""
