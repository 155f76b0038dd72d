"""Making a release: what it writes into the checkout, and the files that are published."""
