"""The guide: the documents of docs/ as pages, with a search."""
