"""What a pasted file names: lockfiles, manifests and bills of materials. Pure, and names only."""
