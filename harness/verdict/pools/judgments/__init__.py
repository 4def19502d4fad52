"""The judgments of pool contracts, a package for each."""
