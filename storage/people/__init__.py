"""Accounts, keys, sessions, plans and rate limits."""
