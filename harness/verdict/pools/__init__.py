"""Judging runs of pools: what their logs tell, folded, and one judgment for each clause of a pool contract."""
