"""Checks any deployment of the interface against the contract and the specification.

Black box: it knows an address, perhaps a few keys, and nothing of how the service is built.
"""
