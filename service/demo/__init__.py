"""`changewire up --demo`: an invented installation, for machines without a network.

``products.toml`` says what invented vendors announced in two years. ``vendors`` puts it on days,
``internet`` answers requests with it as feeds, and ``sample_data`` lets the ingester read them:
what is shown was made as it is made of real vendors.
"""
