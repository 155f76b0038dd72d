"""The components in lockfiles, manifests, Dockerfiles and bills of materials. Pure functions."""
