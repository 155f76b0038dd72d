"""What a file names: lockfiles, manifests, images and bills of materials. Pure."""
