"""Pages of the signed-in: keys, selections, webhooks, digests."""
