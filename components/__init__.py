"""The components in lockfiles, manifests and bills of materials. Pure functions."""
