"""`changewire up --demo`: an invented installation, for machines without a network.

``products.toml`` says what invented vendors announced in two years. ``vendors`` puts it on days,
``documents`` writes it as feeds and pages, ``internet`` answers requests with them. ``filling``
lets the ingester read them day by day: what is shown was made as it is made of real vendors.
"""
