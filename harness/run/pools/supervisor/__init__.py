"""The fixed supervisor as runs see it: its adoption, its view and its logs, its plans."""
