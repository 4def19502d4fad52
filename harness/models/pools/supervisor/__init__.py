"""The fixed supervisor: a fixed roster of roles, each behind one stable proxy, and the recovery of their workers."""
