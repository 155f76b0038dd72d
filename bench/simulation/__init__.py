"""A seeded world of vendors, and the rules by which changelogs are followed in it."""
