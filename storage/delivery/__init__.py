"""Webhooks, digests and the queue of deliveries."""
