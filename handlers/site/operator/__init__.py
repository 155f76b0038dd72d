"""The operator's pages: they do what the commands do."""
