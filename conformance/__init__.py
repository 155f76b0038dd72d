"""Checks any deployment of the interface against the contract and the specification.

A black box test: it has a URL and perhaps a few keys, and does not depend on the service.
"""
