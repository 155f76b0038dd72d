"""The reader in the terminal: what the API answers, for people (docs/client.md)."""
