"""A seeded world of vendors, and the policies that check them."""
