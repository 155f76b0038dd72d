"""Search in the catalog: the same order on every database, for it is decided here.

``words.py`` and ``index.py`` are pure; ``catalog_search.py`` reads the catalog and keeps its index.
"""
