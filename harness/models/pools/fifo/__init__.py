"""The FIFO pool: one public face, workers it owns itself, one queue in the order of admission, one ring of roles."""
