"""Named breaches of the lifecycle, each of one step, to show that a wrong system is caught and named.

An inversion is a subclass of the handlers that replaces one method. It changes a transition and nothing else: the
judgments that must catch it are the same that judge everybody.
"""
