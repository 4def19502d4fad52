"""Systems under test that nobody here wrote: the driver protocol, version 1, as a system behind the port of `run`.

A driver is a program that reads and writes one JSON object a line, a Python object with one method, or the built-in
lifecycle itself. It is only ever taken from the command line, never from an adoption.
"""
