"""Two small accounts of the keyed pool, apart from its model and from each other, to check it with.

The counter keeps leases, bins and service cells; the workshop keeps bays, one recruiter and what he brought. They
share plain values, inputs and outcomes with the model, and no rule; what one of them has to know of the other's
business is told by a few signals.
"""
