"""A second, small account of the fixed supervisor, to check the first one with.

It knows no phases. A roster cell is what it has: an egg, a proxy, a slip, a permit, a worker, a kit, a debt. It shares
plain values, facts and outcomes with the model, and no rule.
"""
