"""A second, small account of the FIFO pool, to check the first one with.

It is written from expectations: each worker cell lists the facts that it waits for, and a fact that nobody waits for
is late. It shares plain values, facts and outcomes with the model, and no rule.
"""
