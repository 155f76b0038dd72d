"""Which packages the repositories of the catalog publish, from documents that name both."""
