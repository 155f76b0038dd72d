"""Requests that no client library would send, written byte by byte."""
