"""Delivery of webhooks and digest mails: what is due, how it is sent, what happened to it."""
