"""How fast the harness is on this machine: `python -m benchmarks`. Nothing is asserted; ratios travel, times don't."""
